// The platform's memory: a file to which lines are only added. A real platform has tables in its database instead.
//
// Each line is complete or absent: it is flushed to the disk before anything depends on it, and a line that a crash cut
// off is dropped.

import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

export class Ledger {
  #orders = new Map()
  #passed = new Map()
  #unsent = new Map()
  #file

  constructor (path) {
    if (!existsSync(path)) closeSync(openSync(path, 'w'))
    const content = readFileSync(path)
    const whole = content.subarray(0, content.lastIndexOf(10) + 1)
    this.#file = openSync(path, 'a')
    ftruncateSync(this.#file, whole.length)
    for (const line of whole.toString().split('\n').slice(0, -1)) this.#apply(JSON.parse(line))
  }

  // The customer's answers and the actions so far; undefined for what is not ours.
  order (key) {
    return this.#orders.get(key)
  }

  // Whether this verdict, or a later one of the same subject, was acted on.
  isPassed (subject, sequence) {
    return sequence <= (this.#passed.get(subject) ?? 0)
  }

  unsent () {
    return [...this.#unsent.values()]
  }

  addOrder (key, answers, events) {
    this.#add({ kind: 'order', key, answers, events })
  }

  addVerdict (key, data, action, events) {
    this.#add({ kind: 'verdict', key, data, action, events })
  }

  addSent (ids) {
    this.#add({ kind: 'sent', ids })
  }

  #add (line) {
    writeSync(this.#file, JSON.stringify(line) + '\n')
    fsyncSync(this.#file)
    this.#apply(line)
  }

  #apply (line) {
    if (line.kind === 'order') {
      this.#orders.set(line.key, { answers: line.answers, actions: [] })
    } else if (line.kind === 'verdict') {
      this.#orders.get(line.key).actions.push(line.action)
      this.#passed.set(line.data.subject, line.data.sequence)
    }
    for (const event of line.events ?? []) this.#unsent.set(event.id, event)
    for (const id of line.ids ?? []) this.#unsent.delete(id)
  }
}
