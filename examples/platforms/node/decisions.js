// What the platform does on a verdict: no I/O, so that it can be read and tested on its own.

import { createHash } from 'node:crypto'

const MONEY_LEFT = 'sign-and-broadcast'
const CREDITED = 'credit'
const NOTE = { action: 'note', followUp: [] }

// The action and the events, as [type, data], that follow from a verdict. A verdict value that is not known counts as
// hold: money moves on allow alone.
export function decide (data, key, order) {
  const kind = data.subject.split(':')[0]
  if (kind === 'withdrawal') return withdrawal(data, key, order)
  return kind === 'deposit' ? deposit(data, key, order) : NOTE
}

function withdrawal (data, key, order) {
  if (order.actions.includes(MONEY_LEFT)) return NOTE // the coins are on their way: never send them a second time
  if (data.verdict === 'allow') {
    const broadcast = { withdrawalId: key, txid: signAndBroadcast(key) }
    return { action: MONEY_LEFT, followUp: [['withdrawal.broadcast.v1', broadcast]] }
  }
  if (data.verdict === 'deny') return { action: 'release-funds', followUp: [] }
  for (const need of data.needs) {
    const action = `amend ${need}`
    if (need in order.answers && !order.actions.includes(action)) { // each answer once: no endless attempts
      return { action, followUp: [['withdrawal.amended.v1', { withdrawalId: key, ...order.answers[need] }]] }
    }
  }
  return { action: 'wait', followUp: [] }
}

function deposit (data, key, order) {
  const credited = order.actions.includes(CREDITED)
  if (data.verdict === 'allow') {
    if (credited) return NOTE
    return { action: CREDITED, followUp: [['deposit.settled.v1', { depositId: key, outcome: 'credited' }]] }
  }
  if (data.verdict === 'deny') return { action: credited ? 'take-back' : 'do-not-credit', followUp: [] }
  return { action: 'wait', followUp: [] }
}

// Stands for the wallet. It must be idempotent: the same withdrawal gives the same transaction.
function signAndBroadcast (key) {
  return createHash('sha256').update(key).digest('hex').toUpperCase()
}
