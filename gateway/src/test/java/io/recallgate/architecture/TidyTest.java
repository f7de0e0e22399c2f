package io.recallgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** House rules about the text of the code: sizes, package documentation, unfinished marks. */
class TidyTest {

    private static final int MAX_CLASS_LINES = 400;
    private static final int MAX_METHOD_LINES = 70;
    /** Five collaborators and one config record. */
    private static final int MAX_CONSTRUCTOR_PARAMETERS = 6;

    private static final Pattern UNFINISHED = Pattern.compile("\\b(TODO|FIXME|XXX|HACK)\\b");
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void filesMethodsAndConstructorsStaySmall() throws IOException {
        List<Path> files = sources("src/main/java").toList();
        assertThat(files).as("the test finds the sources").hasSizeGreaterThan(20);
        List<String> tooLarge = new ArrayList<>();
        for (Path file : files) {
            long lines = Files.readAllLines(file).size();
            if (lines > MAX_CLASS_LINES) {
                tooLarge.add(ROOT.relativize(file) + ": " + lines + " lines");
            }
        }
        tooLarge.addAll(largeMembers(files));
        assertThat(tooLarge).isEmpty();
    }

    @Test
    void longTestClassesAreNamedAmongTheDesignDecisions() throws IOException {
        String decisions = Files.readString(ROOT.resolve("DESIGN-DECISIONS.md"));
        List<String> unexplained = new ArrayList<>();
        for (Path file : sources("src/test/java").toList()) {
            String name = String.valueOf(file.getFileName()).replace(".java", "");
            if (Files.readAllLines(file).size() > MAX_CLASS_LINES && !decisions.contains("`" + name + "`")) {
                unexplained.add(name);
            }
        }
        assertThat(unexplained).isEmpty();
    }

    @Test
    void everyPackageIsDocumentedAndNullMarked() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path folder :
                sources("src/main/java").map(Path::getParent).distinct().toList()) {
            Path info = folder.resolve("package-info.java");
            if (!Files.exists(info) || !Files.readString(info).contains("@NullMarked")) {
                missing.add(ROOT.relativize(folder).toString());
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void nothingIsLeftUnfinished() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : Stream.concat(sources("src/main/java"), sources("src/test/java"))
                .toList()) {
            if (!file.endsWith("TidyTest.java")
                    && UNFINISHED.matcher(Files.readString(file)).find()) {
                found.add(ROOT.relativize(file).toString());
            }
        }
        assertThat(found).isEmpty();
    }

    private static Stream<Path> sources(String folder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : List.of("embedding-verticle", "recall", "gateway")) {
            try (Stream<Path> walk = Files.walk(ROOT.resolve(module).resolve(folder))) {
                walk.filter(path -> path.toString().endsWith(".java")).forEach(files::add);
            }
        }
        return files.stream();
    }

    private static List<String> largeMembers(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> large = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new MemberScanner(unit, positions, large).scan(unit, null);
            }
        }
        return large;
    }

    private static final class MemberScanner extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> large;
        private String className = "";
        private boolean valueOrEnum;

        MemberScanner(CompilationUnitTree unit, SourcePositions positions, List<String> large) {
            this.unit = unit;
            this.positions = positions;
            this.large = large;
        }

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            String outer = className;
            boolean outerKind = valueOrEnum;
            className = tree.getSimpleName().toString();
            // Their components are data, not collaborators.
            valueOrEnum = tree.getKind() == Tree.Kind.RECORD || tree.getKind() == Tree.Kind.ENUM;
            super.visitClass(tree, null);
            className = outer;
            valueOrEnum = outerKind;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            long lines = line(positions.getEndPosition(unit, tree)) - line(positions.getStartPosition(unit, tree)) + 1;
            if (lines > MAX_METHOD_LINES) {
                large.add(className + "." + tree.getName() + ": " + lines + " lines");
            }
            if (tree.getName().contentEquals("<init>")
                    && tree.getParameters().size() > MAX_CONSTRUCTOR_PARAMETERS
                    && !valueOrEnum
                    && !tree.getModifiers().getFlags().contains(Modifier.PRIVATE)) {
                large.add(
                        className + ": constructor with " + tree.getParameters().size() + " parameters");
            }
            return super.visitMethod(tree, null);
        }

        private long line(long position) {
            return unit.getLineMap().getLineNumber(Math.max(0, position));
        }
    }
}
