package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every statement that reads or writes rows of users says whose: each mention of such a table is bound to an owner and a
 * project by parameters, or to a row that is. What is not stands here with its reason.
 */
class StatementScopeTest {

    private static final Path SQL = Path.of("src/main/resources/sql");
    private static final Path SOURCES = Path.of("src/main/java");

    private static final String TABLES = "memory|embedding_job|memory_vector|memory_vector_derived|recall_log";

    private static final Pattern MENTION = Pattern.compile(
            "\\b(from|join|update|into)\\s+(" + TABLES + ")\\b(?:\\s+(?:as\\s+)?(?!where|set|order|group|on|cross|join"
                    + "|limit|for|left|union|inner)([a-z_]+))?");

    /** Statements that serve every owner alike, and why no caller can reach another's rows through them. */
    private static final Map<String, String> EXCEPTIONS = Map.ofEntries(
            Map.entry("jobs/backfill", "opens jobs for all; each copies the scope of its memory"),
            Map.entry("jobs/census", "counts jobs of all owners, for metrics"),
            Map.entry("jobs/claim", "a runner works for all owners; each job carries its scope to the commit"),
            Map.entry(
                    "jobs/commit", "by the ids, attempts and holder of claimed jobs, each with its owner and project"),
            Map.entry("jobs/prune", "ends of jobs of all owners, by age"),
            Map.entry("jobs/release", "by the ids, attempts and holder of claimed jobs"),
            Map.entry(
                    "jobs/remove-other-vectors",
                    "drops what other models left of all; each row brings its scope along"),
            Map.entry("jobs/renew", "by the ids, attempts and holder of claimed jobs"),
            Map.entry("jobs/rescue", "jobs of runners that are gone, whosever"),
            Map.entry("jobs/set-back", "by the id, attempt and holder of a claimed job"),
            Map.entry("lexical/authors", "ts_stat takes a text; owner and project are quoted into it"),
            Map.entry(
                    "lexical/context", "looks up by id behind a fence, and compares owner and project right after it"),
            Map.entry("lexical/dates", "ts_stat takes a text; owner and project are quoted into it"),
            Map.entry("lexical/frequencies", "ts_stat takes a text; owner and project are quoted into it"),
            Map.entry("lexical/renew", "makes the words of all anew; by the ids and versions that were read"),
            Map.entry("lexical/stale", "looks for old words of all; only ids and lengths are read"),
            Map.entry("lexical/stale-contents", "by the ids of old words; what is read goes into the row it is from"),
            Map.entry("log/prune", "recalls of all owners, by age"),
            Map.entry("pgvector/missing", "derives for all; each row brings its scope along"),
            Map.entry(
                    "pgvector/similarities",
                    "looks up by id behind a fence, and compares owner and project right after it"),
            Map.entry("retention/next-scope", "lists scopes for retention, which removes scope by scope"),
            Map.entry("search/accessed", "by the ids of hits, which were found in their scope"),
            Map.entry("search/hits", "looks up by id behind a fence, and compares owner and project right after it"),
            Map.entry("store/export", "what a memory supersedes is of its own scope, as its writing checked"));

    @Test
    void everyStatementIsBoundToAnOwnerAndAProjectButForAListOfExceptions() throws IOException {
        Map<String, String> unbound = new TreeMap<>();
        Set<String> exceptions = new HashSet<>();
        int seen = 0;
        for (Path file : files(SQL, ".sql")) {
            String name = SQL.relativize(file).toString().replace(".sql", "").replace('\\', '/');
            String statement = withoutComments(Files.readString(file));
            seen++;
            if (EXCEPTIONS.containsKey(name)) {
                exceptions.add(name);
            }
            List<String> mentions = unbound(statement);
            if (!mentions.isEmpty()) {
                unbound.put(name, mentions.toString());
            }
        }

        assertThat(seen).isGreaterThan(50);
        assertThat(unbound.keySet())
                .as("not bound to $n owner and $m project: " + unbound)
                .isEqualTo(exceptions);
    }

    @Test
    void whatIsBuiltIntoATextIsQuotedByTheServer() throws IOException {
        for (String name : List.of("lexical/authors", "lexical/dates", "lexical/frequencies")) {
            assertThat(Files.readString(SQL.resolve(name + ".sql")))
                    .contains("where owner = %L and project = %L', $1::text, $2::text)");
        }
    }

    @Test
    void noStatementStandsInTheCode() throws IOException {
        Pattern inline = Pattern.compile("\"[^\"\\n]*\\b(?:from|join|update|into)\\s+(?:" + TABLES + ")\\b[^\"\\n]*\"");
        List<String> found = new ArrayList<>();
        for (Path file : files(SOURCES, ".java")) {
            if (inline.matcher(Files.readString(file)).find()) {
                found.add(file.toString());
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void theCheckItselfTellsBoundFromUnbound() {
        assertThat(unbound("select id from memory where owner = $1 and project = $2"))
                .isEmpty();
        assertThat(unbound("select id from memory where owner = $1")).hasSize(1);
        assertThat(unbound("select id from memory where owner = $1 and (project = $2 or true)"))
                .hasSize(1);
        assertThat(unbound("select 1 from memory m where m.owner = $1 and m.project = $2 and exists"
                        + " (select from memory_vector v where v.memory_id = m.id)"))
                .isEmpty();
        assertThat(unbound("select 1 from memory m where m.owner = $1 and m.project = $2 and exists"
                        + " (select from memory_vector v where v.fingerprint = $3)"))
                .hasSize(1);
        assertThat(unbound("select 1 from memory_vector v join memory m on true where v.owner = $1 and v.project = $2"))
                .hasSize(1);
        assertThat(unbound("insert into memory (id, content) values ($1, $2)")).hasSize(1);
        assertThat(unbound("delete from memory where id = $1")).hasSize(1);
    }

    /** One mention of a table. */
    private record Mention(String verb, String table, String alias, Block block, int at) {}

    /** A part between parentheses, or the whole; {@code own} has nothing of the parts inside it. */
    private record Block(int from, int to, String own) {
        boolean contains(Block other) {
            return from <= other.from && other.to <= to;
        }
    }

    private static List<String> unbound(String statement) {
        List<Block> blocks = blocks(statement);
        List<Mention> mentions = new ArrayList<>();
        Matcher found = MENTION.matcher(statement);
        while (found.find()) {
            String alias = found.group(3) == null ? found.group(2) : found.group(3);
            mentions.add(new Mention(
                    found.group(1), found.group(2), alias, innermost(blocks, found.start()), found.start()));
        }
        Set<Mention> bound = new HashSet<>();
        boolean grown = true;
        while (grown) {
            grown = false;
            for (Mention mention : mentions) {
                if (!bound.contains(mention) && isBound(mention, mentions, bound, statement)) {
                    grown = bound.add(mention);
                }
            }
        }
        return mentions.stream()
                .filter(mention -> !bound.contains(mention))
                .map(mention -> mention.verb() + " " + mention.table())
                .toList();
    }

    private static boolean isBound(Mention mention, List<Mention> mentions, Set<Mention> bound, String statement) {
        if (mention.verb().equals("into")) {
            // A new row has to say whose it is; where the values come from is what the other mentions are about.
            String after = statement.substring(mention.at());
            String columns = after.substring(after.indexOf('(') + 1, after.indexOf(')'));
            return columns.matches("(?s).*\\bowner\\b.*\\bproject\\b.*");
        }
        long sameBlock = mentions.stream()
                .filter(other -> other.block().equals(mention.block()))
                .count();
        String prefix = sameBlock > 1 ? mention.alias() + "\\." : "(?:" + mention.alias() + "\\.)?";
        if (has(mention.block(), prefix + "owner = \\$\\d+") && has(mention.block(), prefix + "project = \\$\\d+")) {
            return true;
        }
        return bound.stream()
                .filter(other -> other.block().contains(mention.block()))
                .anyMatch(other -> tied(mention, other) || tied(other, mention));
    }

    private static boolean tied(Mention one, Mention other) {
        Block block = one.block().contains(other.block()) ? other.block() : one.block();
        return Stream.of("memory_id = %s\\.id", "memory_id = %s\\.memory_id", "id = %s\\.memory_id")
                .anyMatch(key -> has(block, one.alias() + "\\." + String.format(key, other.alias())));
    }

    private static boolean has(Block block, String pattern) {
        return Pattern.compile("(?<![\\w.])" + pattern + "\\b")
                .matcher(block.own())
                .find();
    }

    private static Block innermost(List<Block> blocks, int at) {
        return blocks.stream()
                .filter(block -> block.from() <= at && at < block.to())
                .reduce((outer, inner) -> inner.to() - inner.from() < outer.to() - outer.from() ? inner : outer)
                .orElseThrow();
    }

    private static List<Block> blocks(String statement) {
        List<int[]> spans = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        spans.add(new int[] {0, statement.length()});
        for (int i = 0; i < statement.length(); i++) {
            if (statement.charAt(i) == '(') {
                open.add(i + 1);
            } else if (statement.charAt(i) == ')') {
                spans.add(new int[] {open.remove(open.size() - 1), i});
            }
        }
        return spans.stream()
                .map(span -> new Block(span[0], span[1], own(statement, span)))
                .toList();
    }

    private static String own(String statement, int[] span) {
        StringBuilder own = new StringBuilder();
        int depth = 0;
        for (int i = span[0]; i < span[1]; i++) {
            char c = statement.charAt(i);
            depth -= c == ')' ? 1 : 0;
            if (depth == 0) {
                own.append(c);
            }
            depth += c == '(' ? 1 : 0;
        }
        return own.toString();
    }

    private static String withoutComments(String sql) {
        return sql.replaceAll("--[^\\n]*", "")
                .replaceAll("\\s+", " ")
                .toLowerCase(java.util.Locale.ROOT)
                // Each branch of a union has its own conditions.
                .replace(" union all select ", ") union all (select ");
    }

    private static List<Path> files(Path root, String suffix) throws IOException {
        try (Stream<Path> walk = Files.walk(root)) {
            return walk.filter(path -> path.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }
}
