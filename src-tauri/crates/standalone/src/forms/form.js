// The page of a form of an exported program.
'use strict';
// The same submission sent twice starts one run.
const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

function problem(error) {
  const violations = error?.details?.violations ?? [];
  const places = violations.map(({ path, message }) => `${path.slice(1) || 'The answers'}: ${message}.`);
  at('problem').textContent = [error.message, ...places, error.hint].filter(Boolean).join(' ');
  at('problem').hidden = false;
}

async function ask(path, body) {
  let response;
  try {
    response = await fetch(path, body ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {});
  } catch {
    throw { message: 'The program cannot be reached.', hint: 'Your answers were not sent. Leave this page open and try again later.' };
  }
  const answer = await response.json();
  if (!response.ok) throw answer.error;
  return answer;
}

const base64 = (file) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.onerror = () => failed({ message: `${file.name} cannot be read.`, hint: 'Choose it again.' });
  reader.readAsDataURL(file);
});

const isFile = (one) => one?.format === 'binary' || one?.items?.format === 'binary';

function done(text, output) {
  const parts = [make('p', text, { tabIndex: -1 })];
  if (output !== undefined) parts.push(make('pre', JSON.stringify(output, null, 2)));
  at('form').replaceChildren(...parts);
  at('description').hidden = true;
  at('form').querySelector('p').focus();
}

async function show() {
  const path = location.pathname.split('/').pop();
  const form = await ask(`${path}/definition`);
  document.title = at('title').textContent = form.title ?? 'Form';
  at('description').textContent = form.description ?? '';
  const properties = Object.entries(form.schema.properties ?? {});
  const own = properties.filter(([, one]) => !isFile(one));
  const schema = { ...form.schema, properties: Object.fromEntries(own) };
  const parts = own.length ? fields(schema, {}) : { parts: [], value: () => ({}) };
  let given = parts?.value;
  const shown = parts ? [...parts.parts] : [];
  if (!parts) {
    const editor = make('textarea', undefined, { className: 'json', value: '{}', spellcheck: false });
    const label = make('label', 'Answers as JSON');
    label.append(editor);
    shown.push(label);
    given = () => JSON.parse(editor.value);
  }
  const files = properties.filter(([, one]) => isFile(one)).map(([name, one]) => {
    const label = make('label', one.title ?? name);
    const media = one.contentMediaType ?? one.items?.contentMediaType;
    const control = make('input', undefined, { type: 'file', multiple: one.type === 'array', accept: media ?? '' });
    if (one.description) label.append(make('small', one.description));
    label.append(control);
    shown.push(label);
    return [name, control];
  });
  const button = make('button', form.submitLabel ?? 'Send', { type: 'submit', className: 'first' });
  const row = make('div', undefined, { className: 'row' });
  row.append(button);
  at('form').replaceChildren(...shown, row);
  at('form').onsubmit = async (event) => {
    event.preventDefault();
    at('problem').hidden = true;
    button.disabled = true;
    try {
      const sent = {};
      for (const [name, control] of files) {
        if (!control.files.length) continue;
        sent[name] = await Promise.all(Array.from(control.files, async (file) => ({ name: file.name, mime: file.type, data: await base64(file) })));
      }
      const told = await ask(path, { key, answers: given(), files: sent });
      const words = { accepted: told.thanks ?? 'Your answers were sent.', completed: 'Done.', failed: 'It failed. Ask the person who gave you this address.', waiting: 'A person decides next.', running: 'It is still running.' };
      done(words[told.status], told.output);
    } catch (error) {
      problem(error instanceof Error ? { message: `This is not JSON: ${error.message}` } : error);
      button.disabled = false;
    }
  };
}

show().catch(problem);
