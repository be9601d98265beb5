"""An HTTP proxy on this machine that counts the bytes it hands out and keeps packages it has seen.

Used by check_bare.py: apt and pip in the chroot download through it, so one number tells what a
command downloaded, whichever program did it. Debian's package files never change under their name,
so they are kept in a folder and handed out again; they count as downloaded all the same, because a
bare machine would have to fetch them. HTTPS passes through unseen: counted, never kept.

Knows nothing of chroots or targets. If this machine itself reaches the network through a proxy, pass
its address as `upstream`.
"""
import http.client
import http.server
import os
import select
import socket
import threading
import urllib.parse

KEPT = (".deb", ".tar.xz", ".tar.gz", ".tar.bz2", ".dsc")
BLOCK = 1 << 16
# Headers about one connection, which a proxy must not pass on.
HOP_BY_HOP = {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer",
              "transfer-encoding", "upgrade"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        kept = self.server.kept(self.path)
        if kept and os.path.exists(kept) and "Range" not in self.headers:
            self.send_kept(kept)
        else:
            self.relay(kept)

    do_HEAD = do_GET

    def send_kept(self, path):
        self.send_response(200)
        self.send_header("Content-Length", str(os.path.getsize(path)))
        self.end_headers()
        if self.command == "HEAD":
            return
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                self.hand_out(block)

    def relay(self, kept):
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in HOP_BY_HOP}
        try:
            connection, target = self.server.connect(self.path)
            connection.request(self.command, target, headers=headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self.send_error(502, f"cannot reach the server: {error}")
            return
        self.send_response(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if answer.length is None:  # its end is the connection's end
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.copy(answer, kept if answer.status == 200 and self.command == "GET" else None)
        connection.close()

    def copy(self, answer, kept):
        """Hands the answer out; keeps it too, under its name only once it is whole."""
        part = f"{kept}.{threading.get_ident()}.part"
        file = open(part, "wb") if kept else None
        expected, got = answer.length, 0
        while block := answer.read(BLOCK):
            self.hand_out(block)
            got += len(block)
            if file:
                file.write(block)
        if file:
            file.close()
            if expected == got:
                os.replace(part, kept)
            else:
                os.remove(part)

    def do_CONNECT(self):
        try:
            remote = self.server.tunnel(self.path)
        except OSError as error:
            self.send_error(502, f"cannot reach the server: {error}")
            return
        self.send_response(200, "Connection established")
        self.end_headers()
        self.close_connection = True
        with remote:
            while True:
                ready, _, _ = select.select([self.connection, remote], [], [], 600)
                for source in ready:
                    block = source.recv(BLOCK)
                    if not block:
                        return
                    if source is remote:
                        self.hand_out(block)
                    else:
                        remote.sendall(block)
                if not ready:
                    return

    def hand_out(self, block):
        self.wfile.write(block)
        self.server.count(len(block))

    def log_message(self, *_):
        pass


class Proxy(http.server.ThreadingHTTPServer):
    """Runs in threads of its own from its creation until stop()."""
    daemon_threads = True

    def __init__(self, folder, upstream=None):
        super().__init__(("127.0.0.1", 0), Handler)
        os.makedirs(folder, exist_ok=True)
        self.folder, self.total, self.lock = folder, 0, threading.Lock()
        self.upstream = urllib.parse.urlsplit(upstream) if upstream else None
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()

    def count(self, number):
        with self.lock:
            self.total += number

    def kept(self, address):
        """Where a file is kept, or None for one that may change under its name."""
        path = urllib.parse.urlsplit(address).path
        return os.path.join(self.folder, os.path.basename(path)) \
            if "/pool/" in path and path.endswith(KEPT) else None

    def connect(self, address):
        """A connection towards an address, and what to ask for on it."""
        if self.upstream:
            return http.client.HTTPConnection(self.upstream.hostname, self.upstream.port or 80,
                                              timeout=120), address
        parts = urllib.parse.urlsplit(address)
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        return http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=120), target

    def tunnel(self, place):
        """A socket to HOST:PORT."""
        host, _, port = place.rpartition(":")
        if not self.upstream:
            return socket.create_connection((host, int(port)), timeout=120)
        remote = socket.create_connection((self.upstream.hostname, self.upstream.port or 80), timeout=120)
        remote.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            block = remote.recv(1)
            if not block:
                break
            answer += block
        if b" 200 " not in answer.split(b"\r\n")[0]:
            remote.close()
            raise OSError("the proxy refuses: " + answer.split(b"\r\n")[0].decode("latin-1"))
        return remote

    def handle_error(self, request, client_address):
        """A client that hangs up is no error of ours."""
