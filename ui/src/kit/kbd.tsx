/** Key hints. Keys are written as `Mod+Shift+K`; Mod is Ctrl, on a Mac Command. */
export const IS_MAC = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

const SHOWN: { [key: string]: string } = {
  Mod: IS_MAC ? '⌘' : 'Ctrl', Ctrl: 'Ctrl', Alt: IS_MAC ? '⌥' : 'Alt', Shift: IS_MAC ? '⇧' : 'Shift', Escape: 'Esc', Delete: 'Del',
  ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Space: 'Space', Backspace: 'Backspace',
};

export function keyText(combo: string): string {
  const parts = combo === '+' ? ['+'] : combo.split('+').map((part) => part || '+');
  return parts.map((part) => SHOWN[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(' ');
}

export function Kbd({ keys }: { keys: string }) {
  return <kbd className="kbd">{keyText(keys)}</kbd>;
}
