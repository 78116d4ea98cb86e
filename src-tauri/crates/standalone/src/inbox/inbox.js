// The page for tasks of an exported program. Texts of tasks are data: they get into the page by textContent only.
'use strict';
const ACTIONS = {
  retry: 'Try again', correct: 'Send the correction', skip: 'Skip this item', alternative: 'Take another way', abort: 'Stop the run',
  approve: 'Approve', reject: 'Reject', submit: 'Send',
};
const DID = {
  retry: 'It is tried again.', correct: 'The correction was sent.', skip: 'The item is skipped.', alternative: 'The other way is taken.',
  abort: 'The run stops.', approve: 'Approved.', reject: 'Rejected.', submit: 'Sent.',
};
const ORDER = ['submit', 'approve', 'correct', 'retry', 'alternative', 'skip', 'reject', 'abort'];
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
let chosen = null;

const problem = (text) => { at('problem').textContent = text; at('problem').hidden = !text; };

async function call(path, body) {
  const response = await fetch(path, {
    method: body ? 'POST' : 'GET', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.message} ${answer.error.hint}`);
  return answer;
}

const when = (text) => new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

async function refresh() {
  try {
    const { tasks, total, program } = await call('tasks');
    at('program').textContent = `Tasks of ${program}`;
    document.title = total ? `(${total}) Tasks of ${program}` : `Tasks of ${program}`;
    at('count').textContent = total === 1 ? '1 open' : `${total} open`;
    at('none').hidden = total > 0;
    const focused = document.activeElement?.dataset?.task;
    at('list').replaceChildren(...tasks.map((task) => {
      const button = make('button', undefined, { type: 'button', onclick: () => open(task.taskId) });
      button.dataset.task = task.taskId;
      button.setAttribute('aria-current', String(chosen === task.taskId));
      button.append(task.title, make('span', task.expiresAt ? `${when(task.createdAt)}, until ${when(task.expiresAt)}` : when(task.createdAt)));
      const entry = make('li');
      entry.append(button);
      return entry;
    }));
    if (focused) at('list').querySelector(`[data-task="${CSS.escape(focused)}"]`)?.focus();
    problem('');
  } catch (error) {
    problem(error instanceof TypeError ? 'The program cannot be reached. Start it again with its command serve.' : error.message);
  }
}

function close() {
  chosen = null;
  at('task').hidden = true;
  document.querySelector('main').classList.remove('one');
}

// What changed, line by line: the longest run of lines that both have stays.
function difference(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let [start, end] = [0, 0];
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const shown = make('pre');
  for (const line of a.slice(start, a.length - end)) shown.append(make('del', `- ${line}`));
  for (const line of b.slice(start, b.length - end)) shown.append(make('ins', `+ ${line}`));
  return shown;
}

async function open(id) {
  let task;
  try { task = await call(`tasks/${encodeURIComponent(id)}`); } catch (error) { problem(error.message); return; }
  chosen = id;
  for (const button of at('list').querySelectorAll('button')) button.setAttribute('aria-current', String(button.dataset.task === id));
  const place = at('task');
  const parts = [make('button', 'Back to the list', { type: 'button', className: 'back', onclick: close }), make('h2', task.title, { tabIndex: -1 }), make('p', `Step: ${task.stepTitle}`, { className: 'quiet' })];
  if (task.instructions) parts.push(make('p', task.instructions));
  if (task.error) parts.push(make('p', `${task.error.message} (${task.error.code})`, { className: 'problem' }));
  if (task.minApprovals > 1) parts.push(make('p', `${task.approvals} of ${task.minApprovals} people have approved.`));
  const offers = (action) => task.allowedActions.includes(action);
  const before = JSON.stringify(task.input, null, 2);
  const takes = offers('submit') ? 'submit' : offers('correct') ? 'correct' : null;
  let given = () => undefined;
  if (takes) {
    const form = task.schema && fields(task.schema, task.input);
    parts.push(make('h3', takes === 'submit' ? 'Your answer' : 'Correct the input'));
    if (form) {
      parts.push(...form.parts);
      given = form.value;
    } else {
      const editor = make('textarea', undefined, { className: 'json', value: before, spellcheck: false });
      editor.setAttribute('aria-label', 'Input as JSON');
      parts.push(editor);
      given = () => JSON.parse(editor.value);
    }
    if (takes === 'correct') {
      const changes = make('div');
      const draw = () => {
        try {
          const after = JSON.stringify(given(), null, 2);
          changes.replaceChildren(...(after === before ? [] : [make('h3', 'Your changes'), difference(before, after)]));
        } catch (error) { changes.replaceChildren(make('p', `This is not JSON: ${error.message}`, { className: 'problem' })); }
      };
      for (const part of parts) part.addEventListener('input', draw);
      parts.push(changes);
    }
  } else {
    parts.push(make('h3', 'Input'), make('pre', before));
  }
  let way = null;
  if (offers('alternative')) {
    const label = make('label', 'Another way');
    way = make('select');
    way.append(...task.alternatives.map((one) => make('option', one.label ?? one.targetNodeId, { value: one.targetNodeId })));
    label.append(way);
    parts.push(label);
  }
  const notes = make('textarea', undefined, { rows: 2, maxLength: 10000 });
  const noted = make('label', 'Note for the record');
  noted.append(notes);
  const failed = make('p', '', { className: 'problem', hidden: true });
  failed.setAttribute('role', 'alert');
  const row = make('div', undefined, { className: 'row' });
  const decide = async (action) => {
    failed.hidden = true;
    const buttons = row.querySelectorAll('button');
    for (const button of buttons) button.disabled = true;
    try {
      const body = { action, notes: notes.value || undefined, revision: task.revision };
      if (action === 'correct' || (action === 'submit' && takes === 'submit')) body.correctedInput = given();
      if (action === 'alternative') body.targetNodeId = way.value;
      const done = await call(`tasks/${encodeURIComponent(id)}`, body);
      const told = done.state === 'open' ? `Your approval counts: ${done.approvals} of ${done.minApprovals}.` : DID[action];
      place.replaceChildren(make('button', 'Back to the list', { type: 'button', className: 'back', onclick: close }), make('p', told, { tabIndex: -1 }));
      place.querySelector('p').focus();
      chosen = null;
      await refresh();
    } catch (error) {
      failed.textContent = error.message;
      failed.hidden = false;
      for (const button of buttons) button.disabled = false;
    }
  };
  ORDER.filter(offers).forEach((action, index) => {
    row.append(make('button', ACTIONS[action], { type: 'button', className: index === 0 ? 'first' : '', onclick: () => decide(action) }));
  });
  place.replaceChildren(...parts, noted, failed, row);
  place.hidden = false;
  document.querySelector('main').classList.add('one');
  place.querySelector('h2').focus();
}

refresh();
setInterval(refresh, 3000);
