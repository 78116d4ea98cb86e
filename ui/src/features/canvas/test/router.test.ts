import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockedTargets, linkTargets, nearest, portsTo, reach, successors } from '../model/graph.ts';
import { freeBlock, freePlace, overlaps, placesOf, type Rect, rectsOf } from '../model/place.ts';
import { shapeOf } from '../model/ports.ts';
import { findKinds, suggest } from '../model/search.ts';
import { summaryOf } from '../model/summary.ts';
import { cutPath, distanceTo, tidy } from '../route/geometry.ts';
import { routeLocally, touchedWires } from '../route/local.ts';
import { routeWires, type WireEnds } from '../route/router.ts';
import { plusPlace } from '../route/tags.ts';
import { CATALOG, kind, KINDS, sample } from './fixtures.ts';

const rect = (x: number, y: number): Rect => ({ x, y, width: 200, height: 56 });
const wire = (source: string, target: string, from: readonly [number, number], to: readonly [number, number], down = false): WireEnds => ({
  key: `${source}>${target}`, source: `${source}.${down ? 'error' : 'success'}`, sourceNode: source, target, from, to, down,
});

describe('wires', () => {
  it('runs straight when it can, and turns by 45 degrees cut by 8 px when not', () => {
    const routes = routeWires(
      [wire('a', 'b', [200, 28], [248, 28]), wire('a', 'c', [200, 28], [248, 172])],
      new Map([['a', rect(0, 0)], ['b', rect(248, 0)], ['c', rect(248, 144)]]),
    );
    expect(routes.get('a>b')?.d).toBe('M200 28L248 28');
    expect(routes.get('a>c')?.d).toBe('M200 28L216 28L224 36L224 164L232 172L248 172');
  });

  it('leaves an error port downwards and enters an input from the left', () => {
    const routes = routeWires([wire('a', 'b', [176, 56], [0, 300], true)], new Map([['a', rect(0, 0)], ['b', rect(0, 272)]]));
    const points = routes.get('a>b')?.points ?? [];
    expect(points[1]?.[0]).toBe(176);
    expect(points.at(-2)?.[1]).toBe(300);
    expect((points.at(-2)?.[0] ?? 0) <= -24).toBe(true);
  });

  it('does not run along the title and note of a group, and may cross them', () => {
    const rects = new Map([['a', rect(0, 0)], ['b', rect(248, 0)], ['c', rect(496, 0)]]);
    const head: Rect = { x: 228, y: -58, width: 240, height: 48 };
    const back = wire('c', 'a', [696, 28], [0, 28]);
    const along = (heads: Rect[]): number => {
      const points = routeWires([back], rects, { heads }).get('c>a')?.points ?? [];
      return points.reduce((sum, [x, y], i) => {
        const [px, py] = points[i - 1] ?? [x, y];
        return py === y && y > head.y && y < head.y + head.height ? sum + Math.max(0, Math.min(Math.max(px, x), head.x + head.width) - Math.max(Math.min(px, x), head.x)) : sum;
      }, 0);
    };
    expect(along([])).toBe(head.width);
    expect(along([head])).toBe(0);
    // A group that came into the way of a wire lays that wire anew.
    const routes = routeWires([back], rects);
    expect([...touchedWires({ wires: [back], rects }, { wires: [back], rects, heads: [head] }, routes)]).toEqual(['c>a']);
  });

  it('goes around a card that stands in the way', () => {
    const rects = new Map([['a', rect(0, 0)], ['m', rect(248, 0)], ['b', rect(496, 0)]]);
    const points = routeWires([wire('a', 'b', [200, 28], [496, 28])], rects).get('a>b')?.points ?? [];
    expect(points.length).toBeGreaterThan(2);
    expect(distanceTo(points, [348, 28])).toBeGreaterThan(28);
  });

  it('two wires to one input share the last stretch', () => {
    const rects = new Map([['a', rect(0, 0)], ['b', rect(0, 144)], ['c', rect(248, 288)]]);
    const routes = routeWires([wire('a', 'c', [200, 28], [248, 316]), wire('b', 'c', [200, 172], [248, 316])], rects);
    expect(routes.get('a>c')?.points.at(-2)).toEqual(routes.get('b>c')?.points.at(-2));
  });

  it('always has right angles, begins and ends at its ports, and keeps 16 px before the input', () => {
    const place = fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -60, max: 60 })).map(([x, y]) => [x * 8, y * 8] as const);
    fc.assert(fc.property(place, place, fc.boolean(), (a, b, down) => {
      const rects = new Map([['a', rect(a[0], a[1])], ['b', rect(b[0], b[1])]]);
      const from = down ? ([a[0] + 176, a[1] + 56] as const) : ([a[0] + 200, a[1] + 28] as const);
      const to = [b[0], b[1] + 28] as const;
      const { points, d } = routeWires([wire('a', 'b', from, to, down)], rects).get('a>b') ?? { points: [], d: '' };
      expect(points[0]).toEqual(from);
      expect(points.at(-1)).toEqual(to);
      for (let i = 1; i < points.length; i += 1) {
        const [p, q] = [points[i - 1] as readonly number[], points[i] as readonly number[]];
        expect(p[0] === q[0] || p[1] === q[1]).toBe(true);
      }
      const last = points.at(-2) as readonly number[];
      expect(last[1]).toBe(to[1]);
      expect(to[0] - (last[0] as number)).toBeGreaterThanOrEqual(16);
      expect(d.startsWith(`M${from[0]} ${from[1]}`)).toBe(true);
    }));
  });

  it('lays 1,000 wires in well under a frame budget of loading', () => {
    const rects = new Map<string, Rect>();
    const wires: WireEnds[] = [];
    for (let i = 0; i < 1000; i += 1) {
      const [x, y] = [(i % 40) * 248, Math.floor(i / 40) * 144];
      rects.set(`n${i}`, rect(x, y));
      if (i % 40 > 0) wires.push(wire(`n${i - 1}`, `n${i}`, [x - 48, y + 28], [x, y + 28]));
    }
    const start = performance.now();
    expect(routeWires(wires, rects).size).toBe(wires.length);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('puts the tag of every wire on its own stretch, clear of turns and of the other tags', () => {
    // A step, what repairs it below, and the way back: as in the first sample.
    const rects = new Map([['a', rect(0, 0)], ['heal', rect(0, 144)], ['next', rect(248, 0)]]);
    const back = { ...wire('heal', 'a', [200, 172], [0, 28]), tagWidth: 100 };
    const routes = routeWires([wire('a', 'next', [200, 28], [248, 28]), wire('a', 'heal', [176, 56], [0, 172], true), back], rects);
    const tags = [...routes.values()].map((route) => route.tag);
    for (const [i, [x, y]] of tags.entries()) {
      for (const [ox, oy] of tags.slice(i + 1)) expect(Math.abs(x - ox) >= 30 || Math.abs(y - oy) >= 18).toBe(true);
    }
    const route = routes.get('heal>a');
    const at = route?.tag ?? [0, 0];
    const clear = route?.points.some((p, i) => {
      const q = route.points[i + 1];
      return q !== undefined && p[1] === q[1] && at[1] === p[1] && Math.min(Math.abs(at[0] - p[0]), Math.abs(at[0] - q[0])) >= 58;
    });
    expect(clear).toBe(true);
  });

  it('puts the number of a wire with a small step onto the step, clear of both ports', () => {
    const rects = new Map([['a', rect(0, 0)], ['b', rect(248, 0)]]);
    const tag = routeWires([wire('a', 'b', [200, 20], [248, 28])], rects).get('a>b')?.tag ?? [0, 0];
    expect(tag[1]).toBe(24);
    expect(tag[0]).toBeGreaterThanOrEqual(216);
    expect(tag[0]).toBeLessThanOrEqual(232);
  });

  it('leaves out points on a line and shortens cuts of short stretches', () => {
    expect(tidy([[0, 0], [10, 0], [20, 0], [20, 5]])).toEqual([[0, 0], [20, 0], [20, 5]]);
    expect(cutPath([[0, 0], [20, 0], [20, 6], [40, 6]])).toBe('M0 0L17 0L20 3L20 3L23 6L40 6');
  });
});

describe('ports and places', () => {
  it('puts ports where the eye expects them', () => {
    const ports = (k: number, config?: unknown) => shapeOf(KINDS[k], { type: 'x', config }).ports.map((p) => [p.id, p.x, p.y]);
    expect(ports(1)).toEqual([['success', 200, 28], ['error', 176, 56]]);
    expect(ports(4)).toEqual([['true', 200, 20], ['false', 200, 38], ['error', 176, 56]]);
    const cases = { cases: [{ port: 'a' }, { port: 'b' }, { port: 'a' }] };
    expect(shapeOf(KINDS[5], { type: 'flow.switch', config: cases }).height).toBe(136);
    expect(ports(5, cases)).toEqual([['a', 200, 72], ['b', 200, 96], ['default', 200, 120], ['error', 176, 136]]);
  });

  it('shows a port that only a wire knows', () => {
    const shape = shapeOf(KINDS[1], { type: 'http.request' }, ['lost']);
    expect(shape.ports.find((p) => p.id === 'lost')).toMatchObject({ unknown: true, y: 38 });
  });

  it('never puts a card on another', () => {
    const at = fc.tuple(fc.integer({ min: -500, max: 500 }), fc.integer({ min: -500, max: 500 }));
    fc.assert(fc.property(fc.array(at, { maxLength: 20 }), at, (cards, wanted) => {
      const taken = cards.map(([x, y]) => rect(x, y));
      const [x, y] = freePlace(taken, wanted);
      expect(Math.abs(x % 8) + Math.abs(y % 8)).toBe(0);
      expect(taken.some((r) => overlaps(rect(x, y), r))).toBe(false);
    }));
  });

  it('never puts several cards at once on others, and keeps them in their order', () => {
    const at = fc.tuple(fc.integer({ min: -500, max: 500 }), fc.integer({ min: -500, max: 500 }));
    fc.assert(fc.property(fc.array(at, { maxLength: 12 }), at, (cards, wanted) => {
      const taken = cards.map(([x, y]) => rect(x, y));
      const block = [rect(40, 8), rect(288, 8), rect(288, 152)];
      const [x, y] = freeBlock(taken, block, wanted);
      const placed = block.map((one) => ({ ...one, x: one.x - 40 + x, y: one.y - 8 + y }));
      expect(placed.some((one) => taken.some((other) => overlaps(one, other)))).toBe(false);
    }));
  });

  it('finds a place for nodes that the file gives none', () => {
    const document = { ...sample(), layout: { fetch: [0, 0], adult: 'left', yes: [1] } };
    const places = [...placesOf(document).values()].map(String);
    expect(new Set(places).size).toBe(5);
    expect(rectsOf(document, CATALOG).size).toBe(5);
  });
});

describe('what may be wired', () => {
  it('says why a target is not possible', () => {
    const blocked = blockedTargets(sample(), CATALOG, 'adult.true');
    expect(Object.fromEntries(blocked)).toEqual({
      start: 'A trigger has no input', fetch: 'This would create a cycle', adult: 'A step cannot connect to itself', yes: 'Already connected',
    });
  });

  it('knows which ports may lead to which step', () => {
    const document = sample();
    expect(linkTargets(document, CATALOG, 'end')).toEqual([]);
    for (const to of linkTargets(document, CATALOG, 'fetch')) expect(portsTo(document, CATALOG, 'fetch', to).length).toBeGreaterThan(0);
    const wired = document.edges.find((edge) => edge.from === 'fetch.success')?.to ?? '';
    expect(portsTo(document, CATALOG, 'fetch', wired)).not.toContain('success');
    expect(linkTargets(document, CATALOG, 'fetch')).not.toContain('start');
    expect(linkTargets(document, CATALOG, 'gone')).toEqual([]);
  });

  it('forgets the wire that is being moved', () => {
    const blocked = blockedTargets(sample(), CATALOG, 'adult.true', { from: 'adult.true', to: 'yes' });
    expect(blocked.has('yes')).toBe(false);
  });

  it('walks and points', () => {
    expect([...reach('adult', successors(sample()))]).toEqual(['yes', 'end']);
    const places = placesOf(sample());
    expect(nearest(places, 'fetch', 'right')).toBe('adult');
    expect(nearest(places, 'fetch', 'left')).toBe('start');
    expect(nearest(places, 'fetch', 'up')).toBeNull();
  });
});

describe('search and summary', () => {
  it('finds by title, alias and scattered letters', () => {
    expect(findKinds('http', KINDS, [], [])[0]?.kind.type).toBe('http.request');
    expect(findKinds('fetch', KINDS, [], [])[0]?.kind.type).toBe('http.request');
    expect(findKinds('stf', KINDS, [], [])[0]?.kind.type).toBe('data.set');
    expect(findKinds('web address', KINDS, [], [])[0]?.kind.type).toBe('http.request');
    expect(findKinds('zzz', KINDS, [], [])).toEqual([]);
  });

  it('groups suggested, recent and all, each kind once', () => {
    const list = findKinds('', KINDS, suggest({ empty: true }), ['flow.if', 'data.set']);
    expect(list[0]).toMatchObject({ group: 'suggested', kind: { type: 'trigger.manual' } });
    expect(list).toHaveLength(KINDS.length);
  });

  it('fills the line under the title', () => {
    expect(summaryOf(KINDS[1], { type: 'http.request', config: { url: '/users/{{id}}' } })).toEqual({ text: 'GET /users/{{id}}', mono: true });
    expect(summaryOf(KINDS[1], { type: 'http.request' })).toEqual({ text: 'GET', mono: false });
    expect(summaryOf(undefined, { type: 'x.y' }).text).toBe('unknown kind x.y');
    expect(summaryOf(kind('a', { summary: '{assign}' }), { type: 'a', config: { assign: { a: 1, b: 2 } } }).text).toBe('a, b');
  });
});

describe('a large graph', () => {
  const ROW = 40;
  const grid = (count: number, shift?: { id: string; x: number; y: number }): { wires: WireEnds[]; rects: Map<string, Rect> } => {
    const at = (n: number): Rect => (shift?.id === `n${n}` ? rect(shift.x, shift.y) : rect((n % ROW) * 496, Math.floor(n / ROW) * 144));
    const rects = new Map(Array.from({ length: count }, (_, n) => [`n${n}`, at(n)] as const));
    const wires = Array.from({ length: count }, (_, n) => n).filter((n) => n % ROW < ROW - 1 && n + 1 < count).map((n) => {
      const [a, b] = [at(n), at(n + 1)];
      return wire(`n${n}`, `n${n + 1}`, [a.x + 200, a.y + 28], [b.x, b.y + 28]);
    });
    return { wires, rects };
  };

  it('lays only the wires of the moved card and those it came to stand on; the others keep their object', () => {
    const before = grid(400);
    const previous = routeWires(before.wires, before.rects);
    // From row 0 onto the wire between n81 and n82.
    const after = grid(400, { id: 'n5', x: 744, y: 288 });
    const only = touchedWires(before, after, previous);
    expect([...only].sort()).toEqual(['n4>n5', 'n5>n6', 'n81>n82']);
    const next = routeLocally(after.wires, after.rects, { only, previous });
    expect(next.size).toBe(after.wires.length);
    for (const [key, route] of next) if (!only.has(key)) expect(route).toBe(previous.get(key));
    expect(distanceTo(next.get('n81>n82')?.points ?? [], [844, 316])).toBeGreaterThan(28);
  });

  it('takes up new wires and forgets those that are gone', () => {
    const before = grid(80);
    const previous = routeWires(before.wires, before.rects);
    const wires = [...before.wires.slice(1), wire('n0', 'n41', [200, 28], [496, 172])];
    const only = touchedWires(before, { wires, rects: before.rects }, previous);
    expect([...only]).toEqual(['n0>n41']);
    const next = routeLocally(wires, before.rects, { only, previous });
    expect(next.has('n0>n1')).toBe(false);
    expect(next.get('n0>n41')?.points.at(-1)).toEqual([496, 172]);
  });
});

it('puts the plus of a wire beside its number, and below it where a card or port is in the way', () => {
  const straight = (length: number) => ({ points: [[0, 28], [length, 28]] as [number, number][], tag: [length / 2, 28] as [number, number] });
  expect(plusPlace(straight(48), 0)).toEqual([24, 28]);
  expect(plusPlace(straight(48), 24)).toEqual([24, 46]);
  expect(plusPlace(straight(120), 24)).toEqual([84, 28]);
});
