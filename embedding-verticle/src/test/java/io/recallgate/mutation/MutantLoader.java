package io.recallgate.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A second copy of a package, production and test classes, with one class compiled from a changed source. All other
 * classes are those of the tests. Compiles in memory; nothing is written. Shows of tests that they can fail.
 */
public final class MutantLoader extends ClassLoader {

    private final String prefix;
    private final Map<String, byte[]> changed;

    private MutantLoader(String prefix, Map<String, byte[]> changed) {
        super(MutantLoader.class.getClassLoader());
        this.prefix = prefix;
        this.changed = changed;
    }

    /**
     * A package as it is.
     *
     * @param of a class in it
     */
    public static MutantLoader unchanged(Class<?> of) {
        return new MutantLoader(of.getPackageName() + ".", Map.of());
    }

    /**
     * A package with one class, and those nested in it, changed.
     *
     * @param of a class in it
     * @param type its simple name
     * @throws AssertionError if it does not compile
     */
    public static MutantLoader with(Class<?> of, String type, String source) throws IOException {
        String prefix = of.getPackageName() + ".";
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, Compiled> classes = new HashMap<>();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
                JavaFileManager memory = new MemoryFiles(standard, classes)) {
            boolean good = compiler.getTask(
                            errors,
                            memory,
                            null,
                            List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path")),
                            null,
                            List.of(new Source(prefix + type, source)))
                    .call();
            if (!good) {
                throw new AssertionError("the changed " + type + " does not compile: " + errors);
            }
        }
        Map<String, byte[]> bytes = new HashMap<>();
        classes.forEach((name, compiled) -> bytes.put(name, compiled.bytes.toByteArray()));
        return new MutantLoader(prefix, bytes);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(prefix)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] bytes = bytes(name);
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            return loaded;
        }
    }

    private byte[] bytes(String name) throws ClassNotFoundException {
        byte[] own = changed.get(name);
        if (own != null) {
            return own;
        }
        try (@Nullable InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String source;

        Source(String type, String source) {
            super(URI.create("string:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
            this.source = source;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
        }
    }

    private static final class Compiled extends SimpleJavaFileObject {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Compiled(String name) {
            super(URI.create("memory:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class MemoryFiles extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, Compiled> classes;

        MemoryFiles(JavaFileManager files, Map<String, Compiled> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
            return classes.computeIfAbsent(name, Compiled::new);
        }
    }
}
