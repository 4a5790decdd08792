package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A trading platform's client of the Travel Rule processor: sends its orders, acts on the verdicts. SIGTERM ends it.
 *
 * <p>What it must get right, and where:
 *
 * <ul>
 *   <li>A verdict is acted on once, however often it is delivered: {@link Ledger#isPassed}.
 *   <li>A crash at any point loses nothing and doubles nothing: the ledger holds the action and the events that follow
 *       from it in one line, before anything is sent and before the offset is committed: {@link #handle}.
 *   <li>What is sent again has the same event id and the same data, which the processor takes as a duplicate: {@link
 *       #event}.
 * </ul>
 */
public final class Platform {
  private record Route(String topic, String keyField) {}

  /** Each type that this client sends: its topic, and the field of the data that is the record's key. */
  private static final Map<String, Route> ROUTES =
      Map.of(
          "withdrawal.requested.v1", new Route("withdrawals", "withdrawalId"),
          "withdrawal.amended.v1", new Route("withdrawals", "withdrawalId"),
          "withdrawal.broadcast.v1", new Route("txids", "withdrawalId"),
          "deposit.detected.v1", new Route("deposits", "depositId"),
          "deposit.confirmed.v1", new Route("deposits", "depositId"),
          "deposit.settled.v1", new Route("deposits", "depositId"));

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String prefix;
  private final Ledger ledger;
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;

  private Platform(String bootstrap, String prefix, String group, Ledger ledger) {
    this.prefix = prefix;
    this.ledger = ledger;
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "acks", "all", "enable.idempotence", true),
            new StringSerializer(),
            new StringSerializer());
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", bootstrap,
                "group.id", group,
                "enable.auto.commit", false,
                "auto.offset.reset", "earliest",
                "session.timeout.ms", 10_000), // a killed client's partitions are free after this time
            new StringDeserializer(),
            new StringDeserializer());
  }

  public static void main(String[] arguments) throws Exception {
    var environment = System.getenv();
    var ledger = new Ledger(Path.of(environment.getOrDefault("LEDGER", "ledger.jsonl")));
    var platform =
        new Platform(
            environment.getOrDefault("BOOTSTRAP", "localhost:9092"),
            environment.getOrDefault("TOPIC_PREFIX", "travelrule."),
            environment.getOrDefault("GROUP", "platform-example"),
            ledger);
    var ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  platform.consumer.wakeup();
                  try {
                    ended.await();
                  } catch (InterruptedException error) {
                    Thread.currentThread().interrupt();
                  }
                }));
    try {
      for (String path : arguments) {
        platform.submit(Path.of(path));
      }
      platform.run();
    } finally {
      ended.countDown();
    }
  }

  /** Put an order into the ledger, once; its events are sent by {@link #publish}. */
  private void submit(Path path) throws IOException {
    JsonNode order = JSON.readTree(Files.readString(path));
    List<JsonNode> events = new ArrayList<>();
    for (JsonNode one : order.get("events")) {
      events.add(event(new Ledger.Outgoing(one.get("type").asText(), one.get("data")), "order"));
    }
    String key = events.get(0).get("subject").asText();
    if (ledger.order(key) == null) {
      ledger.addOrder(key, order.path("answers"), events);
    }
  }

  /** Act on verdicts until the process is told to end. */
  private void run() throws IOException, ExecutionException, InterruptedException {
    try (consumer;
        producer) {
      publish();
      consumer.subscribe(List.of(prefix + "verdicts"));
      while (true) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(500))) {
          handle(record);
          var partition = new TopicPartition(record.topic(), record.partition());
          consumer.commitSync(Map.of(partition, new OffsetAndMetadata(record.offset() + 1)));
        }
      }
    } catch (WakeupException end) {
      System.out.println("ended");
    }
  }

  /** Act on one verdict. The caller commits its offset afterwards. */
  private void handle(ConsumerRecord<String, String> record)
      throws IOException, ExecutionException, InterruptedException {
    JsonNode data = JSON.readTree(record.value()).get("data");
    String subject = data.get("subject").asText();
    long sequence = data.get("sequence").asLong();
    Ledger.Order order = ledger.order(record.key());
    if (order == null || ledger.isPassed(subject, sequence)) {
      return;
    }
    Decisions.Decision decision = Decisions.decide(data, record.key(), order);
    List<JsonNode> events = new ArrayList<>();
    for (Ledger.Outgoing one : decision.followUp()) {
      events.add(event(one, Long.toString(sequence)));
    }
    ledger.addVerdict(record.key(), data, decision.action(), events);
    System.out.printf("%s %s %s -> %s%n", subject, data.get("verdict"), data.get("reasons"), decision.action());
    publish();
  }

  /** A CloudEvent. Its id follows from what caused it, so that it is the same however often it is made. */
  private static JsonNode event(Ledger.Outgoing one, String cause) {
    String key = one.data().get(ROUTES.get(one.type()).keyField()).asText();
    ObjectNode event = JSON.createObjectNode();
    event.put("specversion", "1.0");
    event.put("id", key + "/" + cause + "/" + one.type());
    event.put("source", "/platform-example-java");
    event.put("type", one.type());
    event.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    event.put("subject", key);
    event.put("datacontenttype", "application/json");
    event.set("data", one.data());
    return event;
  }

  /** Send the ledger's unsent events and wait for the broker; an error ends the process, which sends them again. */
  private void publish() throws IOException, ExecutionException, InterruptedException {
    List<JsonNode> unsent = ledger.unsent();
    if (unsent.isEmpty()) {
      return;
    }
    List<Future<RecordMetadata>> sending = new ArrayList<>();
    for (JsonNode event : unsent) {
      String topic = prefix + ROUTES.get(event.get("type").asText()).topic();
      var record = new ProducerRecord<>(topic, event.get("subject").asText(), event.toString());
      record.headers().add("content-type", "application/cloudevents+json".getBytes());
      sending.add(producer.send(record));
    }
    for (Future<RecordMetadata> one : sending) {
      one.get();
    }
    ledger.addSent(unsent.stream().map(event -> event.get("id").asText()).toList());
  }
}
