package io.recallgate.recall.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import javax.net.SocketFactory;

/**
 * Lets the JDBC driver, which only knows TCP, speak through a Unix socket of the JDK. The driver makes it by name and
 * gives it the socket's file.
 */
public final class UnixSocketFactory extends SocketFactory {

    private final String socketFile;

    /** @param socketFile path of the socket */
    public UnixSocketFactory(String socketFile) {
        this.socketFile = socketFile;
    }

    @Override
    public Socket createSocket() throws IOException {
        return new ChannelSocket(socketFile);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return connected();
    }

    private Socket connected() throws IOException {
        ChannelSocket socket = new ChannelSocket(socketFile);
        socket.connect(UnixDomainSocketAddress.of(socketFile), 0);
        return socket;
    }

    /** A socket over a channel. Options of TCP do nothing: there is no network. */
    private static final class ChannelSocket extends Socket {

        private final String socketFile;
        private final SocketChannel channel;

        ChannelSocket(String socketFile) throws IOException {
            this.socketFile = socketFile;
            this.channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        }

        @Override
        public void connect(SocketAddress ignored, int timeoutMillis) throws IOException {
            channel.connect(UnixDomainSocketAddress.of(socketFile));
        }

        @Override
        public InputStream getInputStream() {
            return Channels.newInputStream(channel);
        }

        @Override
        public OutputStream getOutputStream() {
            return Channels.newOutputStream(channel);
        }

        @Override
        public boolean isConnected() {
            return channel.isConnected();
        }

        @Override
        public boolean isClosed() {
            return !channel.isOpen();
        }

        @Override
        public void setTcpNoDelay(boolean on) {}

        @Override
        public void setKeepAlive(boolean on) {}

        @Override
        public void setSoTimeout(int millis) {}

        @Override
        public int getSoTimeout() {
            return 0;
        }

        @Override
        public synchronized void close() throws IOException {
            channel.close();
        }
    }
}
