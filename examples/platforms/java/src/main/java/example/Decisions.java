package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** What the platform does on a verdict: no I/O, so that it can be read and tested on its own. */
final class Decisions {
  /** The action, and the events that follow from it. */
  record Decision(String action, List<Ledger.Outgoing> followUp) {
    static Decision of(String action) {
      return new Decision(action, List.of());
    }
  }

  private static final String MONEY_LEFT = "sign-and-broadcast";
  private static final String CREDITED = "credit";

  private Decisions() {}

  /** A verdict value that is not known counts as hold: money moves on allow alone. */
  static Decision decide(JsonNode data, String key, Ledger.Order order) {
    return switch (data.get("subject").asText().split(":", 2)[0]) {
      case "withdrawal" -> withdrawal(data, key, order);
      case "deposit" -> deposit(data, key, order);
      default -> Decision.of("note");
    };
  }

  private static Decision withdrawal(JsonNode data, String key, Ledger.Order order) {
    if (order.actions().contains(MONEY_LEFT)) {
      return Decision.of("note"); // the coins are on their way: never send them a second time
    }
    return switch (data.get("verdict").asText()) {
      case "allow" -> {
        ObjectNode broadcast = content("withdrawalId", key).put("txid", signAndBroadcast(key));
        yield new Decision(MONEY_LEFT, List.of(new Ledger.Outgoing("withdrawal.broadcast.v1", broadcast)));
      }
      case "deny" -> Decision.of("release-funds");
      default -> answer(data, key, order);
    };
  }

  private static Decision answer(JsonNode data, String key, Ledger.Order order) {
    for (JsonNode need : data.get("needs")) {
      JsonNode given = order.answers().get(need.asText());
      String action = "amend " + need.asText();
      if (given != null && !order.actions().contains(action)) { // each answer once: no endless attempts
        ObjectNode amendment = content("withdrawalId", key);
        amendment.setAll((ObjectNode) given);
        return new Decision(action, List.of(new Ledger.Outgoing("withdrawal.amended.v1", amendment)));
      }
    }
    return Decision.of("wait");
  }

  private static Decision deposit(JsonNode data, String key, Ledger.Order order) {
    boolean credited = order.actions().contains(CREDITED);
    return switch (data.get("verdict").asText()) {
      case "allow" -> {
        ObjectNode settled = content("depositId", key).put("outcome", "credited");
        yield credited
            ? Decision.of("note")
            : new Decision(CREDITED, List.of(new Ledger.Outgoing("deposit.settled.v1", settled)));
      }
      case "deny" -> Decision.of(credited ? "take-back" : "do-not-credit");
      default -> Decision.of("wait");
    };
  }

  private static ObjectNode content(String keyField, String key) {
    return JsonNodeFactory.instance.objectNode().put(keyField, key);
  }

  /** Stands for the wallet. It must be idempotent: the same withdrawal gives the same transaction. */
  private static String signAndBroadcast(String key) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().withUpperCase().formatHex(digest);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }
}
