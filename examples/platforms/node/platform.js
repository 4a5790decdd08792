// A trading platform's client of the Travel Rule processor: sends its orders, acts on the verdicts.
//
//   BOOTSTRAP=localhost:9092 LEDGER=ledger.jsonl node platform.js ../orders/*.json
//
// SIGTERM ends it. What it must get right, and where:
//
// - A verdict is acted on once, however often it is delivered: Ledger.isPassed.
// - A crash at any point loses nothing and doubles nothing: the ledger holds the action and the events that follow from
//   it in one line, before anything is sent and before the offset is committed: Platform.handle.
// - What is sent again has the same event id and the same data, which the processor takes as a duplicate: makeEvent.

import { readFileSync } from 'node:fs'
import { Kafka, Partitioners, logLevel } from 'kafkajs'
import { decide } from './decisions.js'
import { Ledger } from './ledger.js'

// Each type that this client sends: its topic, and the field of the data that is the record's key.
const TOPICS = {
  'withdrawal.requested.v1': ['withdrawals', 'withdrawalId'],
  'withdrawal.amended.v1': ['withdrawals', 'withdrawalId'],
  'withdrawal.broadcast.v1': ['txids', 'withdrawalId'],
  'deposit.detected.v1': ['deposits', 'depositId'],
  'deposit.confirmed.v1': ['deposits', 'depositId'],
  'deposit.settled.v1': ['deposits', 'depositId']
}

// A CloudEvent. Its id follows from what caused it, so that it is the same however often it is made.
function makeEvent ([type, data], cause) {
  const key = data[TOPICS[type][1]]
  return {
    specversion: '1.0',
    id: `${key}/${cause}/${type}`,
    source: '/platform-example-node',
    type,
    time: new Date().toISOString(),
    subject: key,
    datacontenttype: 'application/json',
    data
  }
}

class Platform {
  constructor (bootstrap, prefix, group, ledger) {
    const kafka = new Kafka({ clientId: group, brokers: bootstrap.split(','), logLevel: logLevel.ERROR })
    this.prefix = prefix
    this.ledger = ledger
    // One request at a time keeps the order of a key when a request is repeated.
    this.producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner
    })
    // A killed client's partitions are free after this time.
    this.consumer = kafka.consumer({ groupId: group, sessionTimeout: 10_000 })
  }

  // Put an order into the ledger, once; its events are sent by publish.
  submit (path) {
    const order = JSON.parse(readFileSync(path, 'utf8'))
    const events = order.events.map(({ type, data }) => makeEvent([type, data], 'order'))
    if (!this.ledger.order(events[0].subject)) {
      this.ledger.addOrder(events[0].subject, order.answers ?? {}, events)
    }
  }

  async run () {
    this.consumer.on(this.consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart) this.fail(payload.error)
    })
    await this.producer.connect()
    await this.publish()
    await this.consumer.connect()
    await this.consumer.subscribe({ topic: `${this.prefix}verdicts`, fromBeginning: true })
    await this.consumer.run({
      autoCommit: false,
      eachMessage: async ({ topic, partition, message }) => {
        await this.handle(message)
        const offset = (BigInt(message.offset) + 1n).toString()
        await this.consumer.commitOffsets([{ topic, partition, offset }])
      }
    })
  }

  // Act on one verdict. The caller commits its offset afterwards.
  async handle (message) {
    const { data } = JSON.parse(message.value)
    const key = message.key.toString()
    const order = this.ledger.order(key)
    if (!order || this.ledger.isPassed(data.subject, data.sequence)) return
    const { action, followUp } = decide(data, key, order)
    this.ledger.addVerdict(key, data, action, followUp.map(one => makeEvent(one, String(data.sequence))))
    console.log(`${data.subject} ${data.verdict} ${data.reasons} -> ${action}`)
    await this.publish()
  }

  // Send the ledger's unsent events and wait for the broker.
  async publish () {
    const unsent = this.ledger.unsent()
    for (const event of unsent) {
      await this.producer.send({
        topic: `${this.prefix}${TOPICS[event.type][0]}`,
        acks: -1,
        messages: [{
          key: event.subject,
          value: JSON.stringify(event),
          headers: { 'content-type': 'application/cloudevents+json' }
        }]
      })
    }
    if (unsent.length) this.ledger.addSent(unsent.map(event => event.id))
  }

  async stop () {
    await this.consumer.disconnect()
    await this.producer.disconnect()
  }

  // The next start continues from the ledger.
  fail (error) {
    console.error(error)
    process.exit(1)
  }
}

const { BOOTSTRAP = 'localhost:9092', TOPIC_PREFIX = 'travelrule.', GROUP = 'platform-example' } = process.env
const platform = new Platform(BOOTSTRAP, TOPIC_PREFIX, GROUP, new Ledger(process.env.LEDGER ?? 'ledger.jsonl'))
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => platform.stop().then(() => process.exit(0), error => platform.fail(error)))
}
process.argv.slice(2).forEach(path => platform.submit(path))
platform.run().catch(error => platform.fail(error))
