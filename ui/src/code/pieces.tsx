// A text from outside, with a mark in the place of each letter that is not seen.

import { piecesOf } from '../text/letters.ts';
import './code.css';

export function Pieces({ text }: { text: string }) {
  return (
    <>
      {piecesOf(text).map((piece, index) => piece.hidden
        // Pieces have no name but their place.
        ? <span key={`p${String(index)}`} className="ctl" title={`${piece.hidden.code} ${piece.hidden.name}`}>{piece.hidden.code}</span>
        : piece.text)}
    </>
  );
}
