/** Plain charts of days: bars and lines drawn as SVG, each with what it says in a sentence. The numbers are in the table beside them. */
import { useId } from 'react';

const WIDTH = 640;
const HEIGHT = 120;
const LEFT = 48;
const BOTTOM = 18;

/** A round number above the largest, so that the grid has round labels. */
export function roundTop(most: number): number {
  if (most <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const found = [1, 2, 5, 10].map((step) => step * unit).find((top) => top >= most);
  return found ?? most;
}

export interface Series {
  name: string;
  /** Class of its colour, and of its mark in the legend. */
  tone: 'ok' | 'err' | 'off' | 'p50' | 'p95' | 'cost';
  values: readonly (number | undefined)[];
}

export function DayChart({ kind, title, text, days, series, label }: {
  /** `bars`: the values of a day stand on each other. */
  kind: 'bars' | 'lines';
  title: string;
  /** What it says, for those who do not see it. */
  text: string;
  days: readonly string[];
  series: readonly Series[];
  label(value: number): string;
}) {
  const id = useId();
  const at = (day: number) => LEFT + ((WIDTH - LEFT) / Math.max(1, days.length)) * (day + 0.5);
  const sums = days.map((_, day) => series.reduce((sum, one) => sum + (one.values[day] ?? 0), 0));
  const most = kind === 'bars' ? Math.max(0, ...sums) : Math.max(0, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const top = roundTop(most);
  const y = (value: number) => 4 + (HEIGHT - BOTTOM - 4) * (1 - value / top);
  const wide = Math.max(1, Math.min(24, ((WIDTH - LEFT) / Math.max(1, days.length)) * 0.7));
  const shown = days.length <= 8 ? days.map((_, day) => day) : [0, Math.floor((days.length - 1) / 2), days.length - 1];
  return (
    <figure className="hl-chart">
      <figcaption><b id={`${id}-title`}>{title}</b>
        <span className="hl-legend s t2">{series.map((one) => <span key={one.name} className="row gap1"><i className={`hl-${one.tone}`} aria-hidden="true" />{one.name}</span>)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} role="img" aria-labelledby={`${id}-title ${id}-text`}>
        <desc id={`${id}-text`}>{text}</desc>
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line className="hl-grid" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
            <text className="hl-axis" x={LEFT - 6} y={y(value) + 3} textAnchor="end">{label(value)}</text>
          </g>
        ))}
        {shown.map((day) => <text key={days[day]} className="hl-axis" x={at(day)} y={HEIGHT - 4} textAnchor={day === 0 && days.length > 8 ? 'start' : day === days.length - 1 && days.length > 8 ? 'end' : 'middle'}>{days[day]?.slice(5)}</text>)}
        {kind === 'bars' ? days.map((day, index) => <Stack key={day} x={at(index) - wide / 2} wide={wide} y={y} day={day} series={series} index={index} label={label} />)
          : series.map((one) => <Line key={one.name} series={one} days={days} at={at} y={y} label={label} />)}
      </svg>
    </figure>
  );
}

function Stack({ x, wide, y, day, series, index, label }: { x: number; wide: number; y(value: number): number; day: string; series: readonly Series[]; index: number; label(value: number): string }) {
  const told = series.map((one) => `${one.name} ${label(one.values[index] ?? 0)}`).join(', ');
  const below = (at: number): number => series.slice(0, at).reduce((sum, one) => sum + (one.values[index] ?? 0), 0);
  return (
    <g>
      <title>{`${day}: ${told}`}</title>
      {series.map((one, at) => {
        const value = one.values[index] ?? 0;
        const foot = y(below(at));
        // What happened is seen, however little it is.
        const high = Math.max(1.5, foot - y(below(at + 1)));
        return value > 0 ? <rect key={one.name} className={`hl-${one.tone}`} x={x} width={wide} y={foot - high} height={high} /> : null;
      })}
    </g>
  );
}

/** Days without a value are a gap. */
function Line({ series, days, at, y, label }: { series: Series; days: readonly string[]; at(day: number): number; y(value: number): number; label(value: number): string }) {
  const points = series.values.map((value, day) => (value === undefined ? null : { x: at(day), y: y(value), value, day: days[day] ?? '' }));
  const path = points.map((point, index) => (point === null ? '' : `${points[index - 1] ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`)).join('');
  return (
    <g className={`hl-line hl-${series.tone}`}>
      <path d={path} />
      {points.map((point) => (point === null ? null : <circle key={point.day} cx={point.x} cy={point.y} r={2.5}><title>{`${point.day}: ${series.name} ${label(point.value)}`}</title></circle>))}
    </g>
  );
}
