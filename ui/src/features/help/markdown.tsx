/** Markdown as elements, without HTML from text in between. */
import { lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { imageOf, targetOf, type Page } from './contents.ts';
import { EXAMPLES, ExampleTable, type Example } from './examples.tsx';
import { useDark } from './use-dark.ts';

export interface Links {
  hrefOf(page: { id: string }, part: string | undefined): string;
}

/** As in the links of the files: lower case, without punctuation, words joined with hyphens. */
export const slug = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-');

export function Markdown({ text, page, links, onTry }: { text: string; page: Page; links: Links; onTry?: ((example: Example) => void) | undefined }) {
  const dark = useDark();
  return <>{blocks(lexer(text), { page, links, dark, onTry })}</>;
}

interface Where { page: Page; links: Links; dark: boolean; onTry: ((example: Example) => void) | undefined }

function blocks(tokens: readonly Token[], where: Where): ReactNode[] {
  return tokens.map((token, n) => <Fragment key={n}>{block(token, where)}</Fragment>);
}

function block(token: Token, where: Where): ReactNode {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens, text } = token as Tokens.Heading;
      return createElement(`h${String(depth)}`, { id: `help-${slug(text)}`, tabIndex: -1 }, inline(tokens, where));
    }
    case 'paragraph': return <p>{inline((token as Tokens.Paragraph).tokens, where)}</p>;
    case 'blockquote': return <blockquote>{blocks((token as Tokens.Blockquote).tokens, where)}</blockquote>;
    case 'code': return (token as Tokens.Code).lang === EXAMPLES ? <ExampleTable source={(token as Tokens.Code).text} onTry={where.onTry} /> : <pre tabIndex={0}><code>{(token as Tokens.Code).text}</code></pre>;
    case 'hr': return <hr />;
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const lines = items.map((item, n) => <li key={n}>{blocks(item.tokens, where)}</li>);
      return ordered ? <ol start={start === '' ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>;
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return (
        <div className="help-table" tabIndex={0}><table>
          <thead><tr>{header.map((cell, n) => <th key={n} scope="col">{inline(cell.tokens, where)}</th>)}</tr></thead>
          <tbody>{rows.map((row, n) => <tr key={n}>{row.map((cell, m) => <td key={m}>{inline(cell.tokens, where)}</td>)}</tr>)}</tbody>
        </table></div>
      );
    }
    // The text of a list item that is no paragraph.
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, where) : text;
    }
    default: return null;
  }
}

function inline(tokens: readonly Token[], where: Where): ReactNode[] {
  return tokens.map((token, n) => <Fragment key={n}>{piece(token, where)}</Fragment>);
}

function piece(token: Token, where: Where): ReactNode {
  switch (token.type) {
    case 'strong': return <strong>{inline((token as Tokens.Strong).tokens, where)}</strong>;
    case 'em': return <em>{inline((token as Tokens.Em).tokens, where)}</em>;
    case 'del': return <del>{inline((token as Tokens.Del).tokens, where)}</del>;
    case 'codespan': return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br': return <br />;
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      const target = targetOf(where.page, href);
      if (!target) return inline(tokens, where);
      if ('url' in target) return <a href={target.url} target="_blank" rel="noopener noreferrer">{inline(tokens, where)}</a>;
      return <a href={where.links.hrefOf(target.page, target.part)}>{inline(tokens, where)}</a>;
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      const src = imageOf(where.page, href, where.dark);
      return src === undefined ? null : <img src={src} alt={text} loading="lazy" />;
    }
    case 'text':
    case 'escape': return (token as Tokens.Text).text;
    default: return null;
  }
}
