package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The platform's memory: a file to which lines are only added. A real platform has tables in its database instead.
 *
 * <p>Each line is complete or absent: it is flushed to the disk before anything depends on it, and a line that a crash
 * cut off is dropped.
 */
final class Ledger {
  /** An event to be sent: its type and data. */
  record Outgoing(String type, JsonNode data) {}

  /** The customer's answers, and the actions so far. */
  record Order(JsonNode answers, List<String> actions) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Order> orders = new HashMap<>();
  private final Map<String, Long> passed = new HashMap<>();
  private final Map<String, JsonNode> unsent = new LinkedHashMap<>();
  private final FileChannel file;

  Ledger(Path path) throws IOException {
    file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    ByteBuffer content = ByteBuffer.allocate((int) file.size());
    while (content.hasRemaining() && file.read(content) >= 0) {}
    String text = new String(content.array(), StandardCharsets.UTF_8);
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    file.truncate(whole.getBytes(StandardCharsets.UTF_8).length);
    file.position(file.size());
    for (String line : whole.lines().toList()) {
      apply(JSON.readTree(line));
    }
  }

  /** The order of a key; null for what is not ours. */
  Order order(String key) {
    return orders.get(key);
  }

  /** Whether this verdict, or a later one of the same subject, was acted on. */
  boolean isPassed(String subject, long sequence) {
    return sequence <= passed.getOrDefault(subject, 0L);
  }

  List<JsonNode> unsent() {
    return List.copyOf(unsent.values());
  }

  void addOrder(String key, JsonNode answers, List<JsonNode> events) throws IOException {
    ObjectNode line = line("order").put("key", key);
    line.set("answers", answers);
    add(withEvents(line, events));
  }

  void addVerdict(String key, JsonNode data, String action, List<JsonNode> events) throws IOException {
    ObjectNode line = line("verdict").put("key", key).put("action", action);
    line.set("data", data);
    add(withEvents(line, events));
  }

  void addSent(List<String> ids) throws IOException {
    ObjectNode line = line("sent");
    ids.forEach(line.putArray("ids")::add);
    add(line);
  }

  private static ObjectNode line(String kind) {
    return JSON.createObjectNode().put("kind", kind);
  }

  private static ObjectNode withEvents(ObjectNode line, List<JsonNode> events) {
    line.putArray("events").addAll(events);
    return line;
  }

  private void add(ObjectNode line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
    file.force(true);
    apply(line);
  }

  private void apply(JsonNode line) {
    switch (line.get("kind").asText()) {
      case "order" -> orders.put(line.get("key").asText(), new Order(line.path("answers"), new ArrayList<>()));
      case "verdict" -> {
        orders.get(line.get("key").asText()).actions().add(line.get("action").asText());
        passed.put(line.get("data").get("subject").asText(), line.get("data").get("sequence").asLong());
      }
      default -> line.get("ids").forEach(id -> unsent.remove(id.asText()));
    }
    line.path("events").forEach(event -> unsent.put(event.get("id").asText(), event));
  }
}
