//! The service as its users have it: a process of its own, spoken to over HTTP.

use crate::workspace::{PLENTY, Workspace};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A service that is gone when this is dropped.
pub(crate) struct Server {
    child: Child,
    /// Where it listens: `127.0.0.1:PORT`.
    pub(crate) address: String,
    /// The token of its link, which an admin has.
    pub(crate) token: String,
    /// What it says on standard error from there on.
    pub(crate) said: Receiver<String>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts it in a working directory, with further arguments, and comes back when it listens.
    #[track_caller]
    pub(crate) fn start(place: &Workspace, arguments: &[&str]) -> Self {
        let mut command = place.process();
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (to, said) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // Whoever started it may not listen any more; it must not wait for that.
                let _ = to.send(line);
            }
        });
        loop {
            let line = said.recv_timeout(PLENTY).expect("the service says where it listens");
            if let Some((address, token)) =
                line.strip_prefix("open http://").and_then(|link| link.split_once("/login#token="))
            {
                return Server { child, address: address.to_owned(), token: token.to_owned(), said };
            }
        }
    }

    /// Asks for a page as an admin's browser would.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_as(&self.token, path)
    }

    /// The same with another token.
    pub(crate) fn get_as(&self, token: &str, path: &str) -> Answer {
        let head = format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\naccept: text/html\r\n");
        self.ask(&head, "")
    }

    /// Sends a form.
    pub(crate) fn post(&self, token: &str, path: &str, form: &[(&str, &str)]) -> Answer {
        let pairs: Vec<String> =
            form.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\naccept: text/html\r\ncontent-type: application/x-www-form-urlencoded\r\n"
        );
        self.ask(&head, &pairs.join("&"))
    }

    /// Sends a request whose head is complete but for host and length.
    pub(crate) fn ask(&self, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PLENTY)).unwrap();
        let (address, length) = (&self.address, body.len());
        let request =
            format!("{head}host: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut whole = String::new();
        stream.read_to_string(&mut whole).unwrap();
        let (head, body) = whole.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    /// Has all of these in its body.
    #[track_caller]
    pub(crate) fn shows(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.body.contains(part), "`{part}` is not in\n{}", self.body);
        }
        self
    }

    /// Has none of these in its body.
    #[track_caller]
    pub(crate) fn lacks(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(!self.body.contains(part), "`{part}` is in\n{}", self.body);
        }
        self
    }
}

/// A value as forms send it.
fn encoded(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    value.bytes().map(byte).collect()
}
