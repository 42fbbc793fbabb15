//! A small HTTP server on the loopback, which reads requests whole and answers each as a function says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use tokio::net::TcpSocket;

/// Answers one request of each connection, one after the other, with what `reply` makes of it.
pub(crate) fn serve(mut reply: impl FnMut(&str) -> String + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let Some(request) = read(&stream) else { continue };
            let _ = stream.write_all(reply(&request).as_bytes());
        }
    });
    address
}

/// An address at which nothing listens. For as long as the socket is kept, no one else gets its port: a concurrent test
/// could otherwise be there by the time it is asked.
pub(crate) fn nobody() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

/// A request with its head and its body; `None` when the other side closes before it is whole.
pub(crate) fn read(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut whole, mut length) = (String::new(), 0);
    loop {
        let from = whole.len();
        if reader.read_line(&mut whole).ok()? == 0 {
            return None;
        }
        let line = whole[from..].to_ascii_lowercase();
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(whole + String::from_utf8(body).ok()?.as_str())
}

/// An answer after which the connection is closed. `headers` end in line breaks.
pub(crate) fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
}
