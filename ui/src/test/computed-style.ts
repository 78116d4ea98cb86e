/**
 * Computed styles for the tests, without jsdom's own: that one matches every rule of every style sheet (an editor alone brings two hundred) for each
 * element whose role is asked for and all that are around it, and for each property that places a popup. No style sheet of ours is loaded in these
 * tests. So an element is hidden by its attribute, its kind or its own style, and any other property is the element's own or that of its kind. Within an
 * editor jsdom answers.
 */
const NEVER_SHOWN = new Set(['HEAD', 'LINK', 'META', 'NOSCRIPT', 'SCRIPT', 'STYLE', 'TEMPLATE', 'TITLE', 'DATALIST']);
const IN_LINE = new Set([
  'A', 'ABBR', 'B', 'BDI', 'BDO', 'BR', 'CITE', 'CODE', 'DATA', 'DEL', 'DFN', 'EM', 'I', 'IMG', 'INS', 'KBD', 'LABEL', 'MARK', 'OUTPUT', 'Q', 'S',
  'SAMP', 'SMALL', 'SPAN', 'STRONG', 'SUB', 'SUP', 'TIME', 'U', 'VAR', 'WBR',
]);
const IN_LINE_BLOCK = new Set(['BUTTON', 'INPUT', 'METER', 'PROGRESS', 'SELECT', 'TEXTAREA']);

function display(of: HTMLElement): string {
  if (of.style.display) return of.style.display;
  if (of.hidden || NEVER_SHOWN.has(of.tagName)) return 'none';
  if (IN_LINE.has(of.tagName) || !(of instanceof HTMLElement)) return 'inline';
  return IN_LINE_BLOCK.has(of.tagName) ? 'inline-block' : 'block';
}

function visibility(of: HTMLElement): string {
  for (let one: HTMLElement | null = of; one; one = one.parentElement) if (one.style.visibility) return one.style.visibility;
  return 'visible';
}

/** Takes the place of `window.getComputedStyle`. */
export function fastComputedStyle(): void {
  const whole = window.getComputedStyle.bind(window);
  const ofKind = new Map<string, CSSStyleDeclaration>();
  const kind = (of: Element) => {
    let found = ofKind.get(of.tagName);
    if (!found) ofKind.set(of.tagName, (found = whole(document.createElement(of.tagName))));
    return found;
  };
  const valueOf = (of: HTMLElement, name: string): unknown => {
    if (name === 'display') return display(of);
    if (name === 'visibility') return visibility(of);
    const own: unknown = Reflect.get(of.style, name);
    return own === '' ? Reflect.get(kind(of), name) : own;
  };
  window.getComputedStyle = (of: Element, part?: string | null): CSSStyleDeclaration => {
    const element = of as HTMLElement;
    if (part || !('style' in of) || of.closest('.cm-editor')) return whole(of, part);
    return new Proxy(element.style, {
      get: (style, name) => {
        if (name === 'getPropertyValue') return (asked: string) => String(valueOf(element, asked) ?? style.getPropertyValue(asked));
        if (typeof name !== 'string') return Reflect.get(style, name) as unknown;
        const value = valueOf(element, name);
        return typeof value === 'function' ? value.bind(style) : value;
      },
    });
  };
}
