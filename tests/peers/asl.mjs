// State machines with recorded histories: does the import run them as they ran?
//
//   node tests/peers/asl.mjs FOLDER [--all]
//
// FOLDER is a checkout of github.com/localstack/localstack at 8b9a79f05846835cf4dff63ab7eefdde9df83783 (Apache-2.0). Its folder
// tests/aws/services/stepfunctions has machines (`templates/**/*.json5`) and histories that were recorded at the service
// (`*.snapshot.json`). They are read as data: nothing of it is run, or kept in this repository. Tests that change a machine before
// they run it are left out, because only their code says how.
//
// A test of the crate `simulate` imports each machine, runs it in memory with the recorded answers, and compares the order of states,
// their outputs, the end, its output or its error. `asl-differs.json` says which cases differ on purpose; one that differs and is not listed fails, and so
// does one that is listed and does not differ. `asl-results.json` has what came of it, by machine. Not part of a quick run.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parse } from './json5.mjs'

const args = process.argv.slice(2)
const folder = args.find((arg) => !arg.startsWith('--'))
if (!folder) {
  console.error('asl.mjs FOLDER: a checkout that holds tests/aws/services/stepfunctions; the head of this file says which.')
  process.exit(2)
}
const root = resolve(folder, folder.endsWith('stepfunctions') ? '.' : 'tests/aws/services/stepfunctions')

const files = (dir) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(dir, entry.name)) : [join(dir, entry.name)],
  )
const all = files(root)

/** Constant of a class of templates → file. */
const constants = new Map()
for (const file of all.filter((name) => name.endsWith('_templates.py') || name.includes('mocked_service_integrations.py'))) {
  const text = readFileSync(file, 'utf8')
  const owner = /^class (\w+)/m.exec(text)?.[1]
  for (const [, name, path] of text.matchAll(/^ {4}(\w+)(?:: Final\[str\])? = os\.path\.join\(\s*_THIS_FOLDER,\s*"([^"]+)"/gm)) {
    constants.set(`${owner}.${name}`, join(dirname(file), path))
  }
}

/** The functions of a file of tests, with what stands above them. */
function functions(text) {
  const found = new Map()
  const lines = text.split('\n')
  let from = 0
  let name
  let decorated
  const close = (end) => {
    if (name) found.set(name, lines.slice(from, end).join('\n'))
    name = undefined
  }
  lines.forEach((line, at) => {
    if (/^ {0,4}@/.test(line) && decorated === undefined) {
      close(at)
      decorated = at
    }
    const def = /^ {0,4}def (\w+)\(/.exec(line)
    if (!def) return
    close(at)
    from = decorated ?? at
    name = def[1]
    decorated = undefined
  })
  close(lines.length)
  return found
}

/** The machine that a test ran, unless its code changes it. */
function candidates(source, body, id) {
  const alias = new Map()
  for (const [line, list] of source.matchAll(/^from [\w.]+ import (?:\(([^)]*)\)|.*)/gm)) {
    const names = list ?? line.split(' import ')[1]
    for (const one of names.split(',')) {
      const [, name, short] = /(\w+)(?: as (\w+))?/.exec(one.trim()) ?? []
      if (name) alias.set(short ?? name, name)
    }
  }
  const named = []
  for (const [, owner, constant] of body.matchAll(/\b(\w+)\.([A-Z][A-Z0-9_]+)\b/g)) {
    const file = constants.get(`${alias.get(owner) ?? owner}.${constant}`)
    if (file && /\.json5?$/.test(file)) named.push({ constant, file })
  }
  const parts = (id ?? '').split('-').map((part) => part.replace(/^\w+\./, ''))
  return { named, exact: named.filter(({ constant, file }) => parts.includes(constant) || id?.endsWith(basename(file))) }
}

const changed = (body) =>
  [...body.matchAll(/template\w*(?:\["?\w+"?\])+[^=\n]*=[^=]|del template|\.replace\(|\.append\(|\.update\(/g)].some(
    ([text]) => !/\["Resource"\]|\["TimeoutSeconds"\]\s*=\s*60/.test(text),
  )

const states = (machine, out = new Set()) => {
  for (const [name, state] of Object.entries(machine?.States ?? {})) {
    out.add(name)
    for (const branch of state.Branches ?? []) states(branch, out)
    states(state.Iterator ?? state.ItemProcessor, out)
  }
  return out
}

/** What the service told, in the words of the check. */
function told(events) {
  const byId = new Map(events.map((event) => [event.id, event]))
  const stateOf = (event) => {
    for (let at = event, n = 0; at && n < 1000; at = byId.get(at.previousEventId), n += 1) {
      if (at.stateEnteredEventDetails) return at.stateEnteredEventDetails.name
    }
    return undefined
  }
  /** Iterations and branches that an event stands in, outermost last. */
  const iteration = (event) => {
    const at = []
    let depth = 0
    for (let one = event, n = 0; one && n < 2000; one = byId.get(one.previousEventId), n += 1) {
      if (/^MapStateSucceeded|^MapStateFailed|^MapStateExited/.test(one.type)) depth += 1
      if (one.type === 'MapStateEntered') depth -= depth > 0 ? 1 : 0
      if (one.type === 'MapIterationStarted' && depth === 0) {
        at.push(one.mapIterationStartedEventDetails.index)
      }
    }
    return at
  }
  // What was no object or list stayed the JSON that it was recorded as.
  const value = (recorded) => {
    if (typeof recorded !== 'string') return recorded
    try {
      return JSON.parse(recorded)
    } catch {
      return recorded
    }
  }
  const out = { entered: [], exited: [], answers: [], input: {}, status: 'open' }
  for (const event of events) {
    const details = Object.entries(event).find(([key]) => key.endsWith('EventDetails'))?.[1] ?? {}
    const { type } = event
    if (type === 'ExecutionStarted') out.input = value(details.input)
    else if (type.endsWith('StateEntered')) out.entered.push([details.name, value(details.input)])
    else if (type.endsWith('StateExited')) out.exited.push([details.name, value(details.output), details.assignedVariables])
    else if (/^(Task|LambdaFunction|Activity)Succeeded$/.test(type)) {
      out.answers.push({ state: stateOf(event), at: iteration(event), output: value(details.output) })
    } else if (/^(Task|LambdaFunction|Activity)(Failed|TimedOut|SubmitFailed|StartFailed|ScheduleFailed)$/.test(type)) {
      out.answers.push({
        state: stateOf(event),
        at: iteration(event),
        error: details.error ?? (type.endsWith('TimedOut') ? 'States.Timeout' : ''),
        cause: details.cause ?? null,
      })
    } else if (type === 'ExecutionSucceeded') Object.assign(out, { status: 'completed', output: value(details.output) })
    else if (type === 'ExecutionFailed') Object.assign(out, { status: 'failed', error: details.error, cause: details.cause })
    else if (type === 'ExecutionAborted') out.status = 'aborted'
    else if (type === 'ExecutionTimedOut') Object.assign(out, { status: 'failed', error: 'States.Timeout' })
  }
  return out
}

function histories(value, at = [], out = []) {
  if (!value || typeof value !== 'object') return out
  if (Array.isArray(value.events) && value.events[0]?.type === 'ExecutionStarted') out.push([at.join('.'), value.events])
  else if (Array.isArray(value) && value[0]?.type === 'ExecutionStarted' && value[0]?.id) out.push([at.join('.'), value])
  else for (const [key, one] of Object.entries(value)) histories(one, [...at, key], out)
  return out
}

const cases = []
const left = { 'the test changes the machine': 0, 'no machine found': 0, 'history not ended': 0, 'values were taken out of the recording': 0 }
const seen = new Set()
for (const file of all.filter((name) => name.endsWith('.snapshot.json'))) {
  const snapshot = JSON.parse(readFileSync(file, 'utf8'))
  const test = file.replace('.snapshot.json', '.py')
  const source = readFileSync(test, 'utf8')
  const bodies = functions(source)
  for (const [key, record] of Object.entries(snapshot)) {
    const [, name, id] = /::(\w+)(?:\[(.*)\])?$/s.exec(key) ?? []
    const body = bodies.get(name) ?? ''
    for (const [place, events] of histories(record['recorded-content'])) {
      const history = told(events)
      const { named, exact } = candidates(source, body, id)
      const fits = (list) =>
        list.find(({ file }) => {
          let machine
          try {
            machine = parse(readFileSync(file, 'utf8'))
          } catch {
            return false
          }
          const known = states(machine)
          return history.entered.length > 0 && machine.StartAt === history.entered[0][0] && history.entered.every(([name]) => known.has(name))
        })
      const found = fits(exact) ?? (exact.length || new Set(named.map(({ file }) => file)).size > (id ? 1 : 9) ? undefined : fits(named))
      const gone = JSON.stringify([history.entered, history.exited])
      if (/EventDetails\.output"|"<?timestamp>?"|"date"/.test(gone) && /Timestamp|EventDetails\.output"/.test(JSON.stringify(found ?? '') + gone)) left['values were taken out of the recording'] += 1
      else if (JSON.stringify(history.input ?? null).includes('"<timestamp>"')) left['values were taken out of the recording'] += 1
      else if (history.status === 'open' || history.status === 'aborted') left['history not ended'] += 1
      else if (!found) left['no machine found'] += 1
      else if (changed(body)) left['the test changes the machine'] += 1
      else {
        const machine = parse(readFileSync(found.file, 'utf8'))
        const same = JSON.stringify([machine, history])
        if (seen.has(same)) continue
        seen.add(same)
        cases.push({ name: `${relative(root, file).replace('v2/', '').replace('.snapshot.json', '')}::${name}${id ? `[${id}]` : ''}${place === 'get_execution_history' ? '' : `#${place}`}`, template: relative(join(root, 'templates'), found.file), machine, ...history })
      }
    }
  }
}
const target = join(mkdtempSync(join(tmpdir(), 'asl-')), 'cases.json')
writeFileSync(target, JSON.stringify(cases))
console.log(`${cases.length} histories; left out: ${Object.entries(left).map(([why, n]) => `${n} ${why}`).join(', ')}`)

const filter = ['-p', 'signalbox-simulate', '-E', 'test(recorded_histories)', '--no-capture']
const ran = spawnSync('cargo', ['nextest', 'run', ...filter], { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, SIGNALBOX_ASL_CASES: target } })
const rows = ran.stdout.split('\n').map((line) => line.split('\t')).filter(([word]) => ['same', 'placeholder', 'wrong'].includes(word))
if (rows.length !== cases.length) {
  console.error(ran.stderr, ran.stdout.slice(-4000))
  process.exit(1)
}
const here = new URL('.', import.meta.url)
const differs = JSON.parse(readFileSync(new URL('asl-differs.json', here), 'utf8'))
const results = {}
const sums = { same: 0, differs: 0, placeholder: 0, wrong: 0 }
let failed = false
for (const [came, name, template, why] of rows) {
  const known = differs[name]
  const word = came === 'wrong' && known ? 'differs' : came
  sums[word] += 1
  const row = (results[template.replace('statemachines/', '').replace(/\.json5?$/, '')] ??= {})
  row[word] = (row[word] ?? 0) + 1
  if (word === 'wrong' || (known && came === 'same')) failed = true
  if (known && came === 'same') console.log(`listed  ${name} does not differ: take it out of asl-differs.json`)
  if (word !== 'same' && (word === 'wrong' || args.includes('--all'))) console.log(`${word.padEnd(12)}${name}\n            ${known ?? why}`)
}
console.table(sums)
const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)))
const lines = Object.entries(sorted).map(([name, row]) => `    ${JSON.stringify(name)}: ${JSON.stringify(row)}`)
writeFileSync(
  new URL('asl-results.json', here),
  `{\n  "by": "localstack 8b9a79f05846835cf4dff63ab7eefdde9df83783",\n  "histories": ${JSON.stringify(sums)},\n  "machines": {\n${lines.join(',\n')}\n  }\n}\n`,
)
process.exit(failed ? 1 : 0)
