// JSON with comments, trailing commas, single quotes and bare names.
export function parse(text) {
  let at = 0
  const fail = (why) => {
    throw new SyntaxError(`${why} at ${at}`)
  }
  const space = () => {
    for (;;) {
      const [gap] = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/.exec(text.slice(at, at + 4000))
      if (!gap) return
      at += gap.length
    }
  }
  const string = (quote) => {
    let out = ''
    for (at += 1; at < text.length; at += 1) {
      const letter = text[at]
      if (letter === quote) {
        at += 1
        return out
      }
      if (letter !== '\\') {
        out += letter
        continue
      }
      at += 1
      const next = text[at]
      if (next === 'u') {
        out += String.fromCharCode(parseInt(text.slice(at + 1, at + 5), 16))
        at += 4
      } else if (next !== '\n') out += { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' }[next] ?? next
    }
    return fail('a text is not closed')
  }
  const value = () => {
    space()
    const letter = text[at]
    if (letter === '"' || letter === "'") return string(letter)
    if (letter === '{') {
      const out = {}
      at += 1
      for (;;) {
        space()
        if (text[at] === '}') break
        const name = '"\''.includes(text[at]) ? string(text[at]) : /^[\w$]+/.exec(text.slice(at, at + 200))?.[0]
        if (name === undefined) fail('a name is missing')
        if (text[at - 1] !== '"' && text[at - 1] !== "'") at += name.length
        space()
        if (text[at] !== ':') fail('a colon is missing')
        at += 1
        Object.defineProperty(out, name, { value: value(), enumerable: true, writable: true, configurable: true })
        space()
        if (text[at] === ',') at += 1
        else if (text[at] !== '}') fail('a comma is missing')
      }
      at += 1
      return out
    }
    if (letter === '[') {
      const out = []
      at += 1
      for (;;) {
        space()
        if (text[at] === ']') break
        out.push(value())
        space()
        if (text[at] === ',') at += 1
        else if (text[at] !== ']') fail('a comma is missing')
      }
      at += 1
      return out
    }
    const [word] = /^[^\s,\]}:]+/.exec(text.slice(at, at + 100)) ?? fail('a value is missing')
    at += word.length
    if (word === 'true' || word === 'false' || word === 'null') return JSON.parse(word)
    const number = Number(word)
    return Number.isNaN(number) ? fail(`'${word}' is no value`) : number
  }
  const out = value()
  space()
  return at < text.length ? fail('more follows') : out
}
