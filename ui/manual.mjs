/** Writes the manual as a site of plain HTML: `npm run manual -- FOLDER`. The same pages are in the app under Help. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, posix, resolve } from 'node:path';
import { Marked } from 'marked';

const here = import.meta.dirname;
const docs = resolve(here, '../docs');
const out = resolve(process.argv[2] ?? join(here, '../target/manual'));
const chapters = JSON.parse(readFileSync(join(docs, 'manual/contents.json'), 'utf8'));
const kinds = JSON.parse(readFileSync(join(here, 'src/test/catalog.gen.json'), 'utf8'));
const pages = chapters.flatMap((chapter) => chapter.pages);

const escape = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** As in the app (`src/features/help/markdown.tsx`). */
const slug = (text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-');

function bodyOf(page) {
  const pictures = new Set();
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth, text }) { return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`; },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const [path, part] = href.split('#');
        if (/^https?:/.test(href)) return `<a href="${escape(href)}">${text}</a>`;
        const file = path === '' ? page.file : posix.join(posix.dirname(page.file), path);
        const target = pages.find((one) => one.file === file);
        return target ? `<a href="${target.id}.html${part ? `#${escape(part)}` : ''}">${text}</a>` : text;
      },
      image({ href, text }) {
        const file = posix.join(posix.dirname(page.file), href);
        pictures.add(file);
        const dark = file.replace(/-light\.webp$/, '-dark.webp');
        if (dark === file) return `<img src="pictures/${basename(file)}" alt="${escape(text)}">`;
        pictures.add(dark);
        return `<picture><source media="(prefers-color-scheme: dark)" srcset="pictures/${basename(dark)}"><img src="pictures/${basename(file)}" alt="${escape(text)}"></picture>`;
      },
      // Examples of expressions, which can be tried in the app.
      code({ text, lang }) { return lang === 'json expressions' ? examples(JSON.parse(text)) : false; },
      html({ text }) { return text.startsWith('<!--') ? '' : escape(text); },
    },
  });
  return { html: markdown.parse(readFileSync(join(docs, page.file), 'utf8')), pictures };
}

function examples(list) {
  const code = (value) => `<td><code>${escape(value)}</code></td>`;
  const rows = list.map(({ expression, data, result, error }) => `<tr>${code(expression)}${data ? code(JSON.stringify(data)) : '<td></td>'}${error ? `<td>Error: ${escape(error)}</td>` : code(JSON.stringify(result))}</tr>`);
  return `<table><thead><tr><th>Expression</th><th>Data</th><th>Result</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** Every step kind of the catalog, with its ports and settings. */
function stepsBody() {
  const row = (cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const table = (heads, rows) => (rows.length === 0 ? '' : `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`);
  const sections = [...kinds].sort((a, b) => a.title.localeCompare(b.title)).map((kind) => {
    const settings = Object.entries(kind.config?.properties ?? {}).map(([name, schema]) => row([`<code>${escape(name)}</code>${kind.config.required?.includes(name) ? ' *' : ''}`, escape(schema.title ?? ''), escape(schema.description ?? '')]));
    const ports = kind.ports.map((port) => row([`<code>${escape(port.id)}</code>`, escape(port.title ?? ''), escape(port.schema?.description ?? '')]));
    return `<h2 id="${escape(kind.type)}">${escape(kind.title)} <code>${escape(kind.type)}</code></h2><p>${escape(kind.description)}</p>${table(['Setting', '', ''], settings)}${table(['Port', '', ''], ports)}`;
  });
  return `<h1>All steps</h1><p>${kinds.length} kinds of step. Settings with * are required. The catalog in the app has examples of each.</p>${sections.join('\n')}`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #d5d9d8; --side: #f6f7f7; --code: #eef0f0; --link: #1b56c4; }
@media (prefers-color-scheme: dark) { :root { --line: #333a3c; --side: #171c1d; --code: #20282a; --link: #8ab0ff; } }
body { margin: 0; display: grid; grid-template-columns: 260px minmax(0, 1fr); font: 16px/1.55 system-ui, sans-serif; }
nav { padding: 16px; background: var(--side); border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box; }
nav h2 { font-size: 12px; text-transform: uppercase; margin: 16px 0 4px; } nav a { display: block; padding: 3px 0; text-decoration: none; } nav a[aria-current] { font-weight: 600; }
main { padding: 24px 48px 80px; max-width: 860px; overflow-wrap: anywhere; } a { color: var(--link); } img { max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
code { background: var(--code); padding: 1px 4px; border-radius: 3px; font-size: .9em; } pre { background: var(--code); padding: 12px 16px; overflow-x: auto; border-radius: 6px; } pre code { padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 0 0 16px; } th, td { border: 1px solid var(--line); padding: 6px 10px; text-align: left; vertical-align: top; }
@media (max-width: 760px) { body { grid-template-columns: 1fr; } nav { position: static; height: auto; } main { padding: 16px; } }
`;

function html(id, title, body) {
  const links = (list) => list.map((one) => `<a href="${one.id}.html"${one.id === id ? ' aria-current="page"' : ''}>${escape(one.title)}</a>`).join('');
  const nav = [...chapters, { title: 'Reference', pages: [{ id: 'steps', title: 'All steps' }] }].map((chapter) => `<h2>${escape(chapter.title)}</h2>${links(chapter.pages)}`).join('');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)} · Signalbox manual</title><style>${STYLE}</style>
<body><nav aria-label="Contents"><strong>Signalbox manual</strong>${nav}</nav><main>${body}</main></body></html>\n`;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'pictures'), { recursive: true });
for (const page of pages) {
  const { html: body, pictures } = bodyOf(page);
  for (const picture of pictures) copyFileSync(join(docs, picture), join(out, 'pictures', basename(picture)));
  writeFileSync(join(out, `${page.id}.html`), html(page.id, page.title, body));
}
writeFileSync(join(out, 'steps.html'), html('steps', 'All steps', stepsBody()));
copyFileSync(join(out, `${pages[0].id}.html`), join(out, 'index.html'));
process.stdout.write(`${String(readdirSync(out).filter((name) => name.endsWith('.html')).length)} pages in ${out}\n`);
