import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;

/** Posts a file twice with the JDK's client on its defaults; after URL and file come names and values of headers. */
public class JavaPost {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(arguments[0]))
                .POST(HttpRequest.BodyPublishers.ofFile(Path.of(arguments[1])));
        for (int index = 2; index < arguments.length; index += 2) {
            builder.header(arguments[index], arguments[index + 1]);
        }
        for (int count = 0; count < 2; count++) {
            HttpResponse<String> answer = client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
            System.out.println(answer.statusCode() + " " + answer.version() + " " + answer.body());
        }
    }
}
