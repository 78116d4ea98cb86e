import { expect, it } from 'vitest';
import { placePopover } from '../view/place-popover.ts';

const ROOM = { width: 1000, height: 800 };
const MENU = { width: 432, height: 472 };
const card = (left: number, top: number) => ({ left, top, right: left + 200, bottom: top + 56 });

it('the menu stands below the cards that it shows, lower where it must be', () => {
  const shown = [card(300, 300), card(540, 300)];
  const place = placePopover(MENU, ROOM, { left: 300, top: 320 }, shown);
  expect(place).toEqual({ left: 300, top: 368, height: 424 });
});

it('beside them where there is no room below, and nowhere where there is none at all', () => {
  expect(placePopover(MENU, ROOM, { left: 100, top: 300 }, [card(100, 560)])).toEqual({ left: 312, top: 300, height: 472 });
  expect(placePopover(MENU, ROOM, { left: 500, top: 300 }, [card(700, 560)])).toEqual({ left: 256, top: 300, height: 472 });
  const tight = { width: 500, height: 400 };
  expect(placePopover(MENU, tight, { left: 8, top: 8 }, [card(100, 200)])).toBeUndefined();
  // Above, lower where it must be: all of a step in the middle and of what hangs on it stays in sight.
  expect(placePopover(MENU, ROOM, { left: 300, top: 500 }, [card(400, 450), card(560, 640)])).toEqual({ left: 300, top: 8, height: 430 });
});

it('what covers nothing stays', () => {
  expect(placePopover(MENU, ROOM, { left: 500, top: 300 }, [card(100, 100)])).toEqual({ left: 500, top: 300, height: 472 });
  expect(placePopover(MENU, ROOM, { left: 500, top: 300 }, [])).toEqual({ left: 500, top: 300, height: 472 });
});
