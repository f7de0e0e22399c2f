package io.recallgate.gateway.cli.client;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway answered.
 *
 * @param status HTTP status
 * @param text the body
 * @param retryAfterSeconds its Retry-After, null when it gave none
 * @param nanos from sending to the whole body
 */
public record Answer(int status, String text, @Nullable Long retryAfterSeconds, long nanos) {

    /** Whether the request did what it asked. */
    public boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    /** Whether it may succeed later. */
    public boolean asksToWait() {
        return status == 429 || status == 503;
    }

    /**
     * The body as an object.
     *
     * @throws CommandFailedException if it is none: something else listens there
     */
    public JsonObject json() {
        try {
            return new JsonObject(text);
        } catch (DecodeException e) {
            throw new CommandFailedException(
                    "what answers there is not a Recallgate gateway (HTTP " + status
                            + " without a JSON object): check --url",
                    e);
        }
    }

    /**
     * The body as an object, if the request succeeded.
     *
     * @throws CommandFailedException with the gateway's own sentence if not
     */
    public JsonObject jsonOrFail() {
        if (!isSuccess()) {
            throw new CommandFailedException(explain());
        }
        return json();
    }

    /** One line for a person about an answer that is not a success. */
    public String explain() {
        String said = problem();
        return switch (status) {
            case 401 -> "the gateway does not know this key: pass --key or set RECALLGATE_KEY to one of its keys file";
            case 403 -> "this key may not do that: " + said;
            case 429 -> "the gateway is still busy after all retries: try again later (" + said + ")";
            case 503 ->
                "the gateway cannot serve this now: " + said
                        + "; see './recallgate status', or try again in a few seconds";
            default -> "the gateway refused: " + said;
        };
    }

    /** The failure's detail as the problem details say it, or the status alone. */
    public String detail() {
        try {
            JsonObject problem = new JsonObject(text);
            return string(problem, "detail", string(problem, "title", "HTTP " + status));
        } catch (DecodeException e) {
            // As in problem().
            return "HTTP " + status;
        }
    }

    /** The failure's detail and code as the problem details say it, or the status alone. */
    public String problem() {
        try {
            JsonObject problem = new JsonObject(text);
            String detail = string(problem, "detail", string(problem, "title", "HTTP " + status));
            String code = string(problem, "code", "");
            return code.isEmpty() ? detail : detail + " (" + code + ")";
        } catch (DecodeException e) {
            // Not ours: a proxy in between, for example. The status is all there is to say.
            return "HTTP " + status;
        }
    }

    private static String string(JsonObject object, String field, String otherwise) {
        return object.getValue(field) instanceof String value && !value.isBlank() ? value : otherwise;
    }
}
