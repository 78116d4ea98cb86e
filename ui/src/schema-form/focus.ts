// A field that swaps its editor hands the focus to the next one: it is asked for by name and taken at mount.

let wanted: string | null = null;

export function requestFocus(name: string): void {
  wanted = name;
}

export function takeFocus(name: string): boolean {
  if (wanted !== name) return false;
  wanted = null;
  return true;
}
