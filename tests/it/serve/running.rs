//! `loopctl serve` as a process, and what asks it.

use crate::workspace::{PLENTY, Workspace};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};

/// A service that ends when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Of an admin.
    pub(crate) token: String,
    /// The output before the link.
    pub(crate) said: String,
}

/// A request that is being made.
pub(crate) struct Request<'a> {
    server: &'a Server,
    head: String,
    body: Vec<u8>,
    has_host: bool,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentEvent {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) data: String,
}

impl Server {
    /// Starts a service in a workspace, on a port of its own, with its data in the folder `data`.
    pub(crate) fn start(place: &Workspace, arguments: &[&str]) -> Self {
        let mut command = place.process();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]).args(arguments);
        Server::of(command)
    }

    /// Starts a service by a command of one's own.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let (address, token) = loop {
            let Some(line) = lines.next() else { panic!("the service ended: {said}") };
            let line = line.unwrap();
            if let Some(link) = line.strip_prefix("open http://") {
                let (address, token) = link.split_once("/login#token=").unwrap();
                break (address.parse().unwrap(), token.to_owned());
            }
            said.push_str(&line);
            said.push('\n');
        };
        // Its later output is read, so that it never waits for that.
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address, token, said }
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> Request<'_> {
        let head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        Request { server: self, head, body: Vec::new(), has_host: false }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request("GET", path).admin().send()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path).admin().json(body).send()
    }

    /// Waits until a job is over, by its events; these, from the one after `last` on.
    pub(crate) fn events(&self, job: &str, last: Option<&str>) -> Vec<SentEvent> {
        let mut request = self.request("GET", &format!("/api/jobs/{job}/events")).admin();
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        request.send().events()
    }

    /// A job that is over.
    pub(crate) fn finished(&self, job: &str) -> Value {
        self.events(job, None);
        self.get(&format!("/api/jobs/{job}")).is(200).json()
    }

    /// Ends it as an impatient system does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it as a service manager does.
    #[cfg(unix)]
    pub(crate) fn stop(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Request<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.has_host |= name.eq_ignore_ascii_case("host");
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// With the token of the link that the service printed.
    pub(crate) fn admin(self) -> Self {
        let token = self.server.token.clone();
        self.token(&token)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string().as_bytes())
    }

    pub(crate) fn body(mut self, media_type: &str, body: &[u8]) -> Self {
        self = self.header("Content-Type", media_type).header("Content-Length", &body.len().to_string());
        self.body = body.to_vec();
        self
    }

    /// A form with files: name of the file and content.
    pub(crate) fn files<C: AsRef<[u8]>>(self, fields: &[(&str, &str)], files: &[(&str, C)]) -> Self {
        let mut body = Vec::new();
        for (name, value) in fields {
            let part =
                format!("--part\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend(part.bytes());
        }
        for (name, content) in files {
            let head = format!("Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"");
            body.extend(format!("--part\r\n{head}\r\nContent-Type: text/plain\r\n\r\n").bytes());
            body.extend(content.as_ref());
            body.extend(b"\r\n");
        }
        body.extend(b"--part--\r\n");
        self.body("multipart/form-data; boundary=part", &body)
    }

    pub(crate) fn send(self) -> Answer {
        let host = if self.has_host { String::new() } else { format!("Host: {}\r\n", self.server.address) };
        let mut stream = TcpStream::connect(self.server.address).unwrap();
        stream.set_read_timeout(Some(PLENTY)).unwrap();
        stream.write_all(format!("{}{host}\r\n", self.head).as_bytes()).unwrap();
        // A service that has refused it need not read all.
        let _ = stream.write_all(&self.body);
        let mut whole = Vec::new();
        let _ = stream.read_to_end(&mut whole);
        Answer::parse(&whole)
    }
}

impl Answer {
    /// Reads an answer after which the connection was closed.
    pub(crate) fn parse(whole: &[u8]) -> Self {
        let end = whole.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(whole)));
        let head = String::from_utf8_lossy(&whole[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = whole[end + 4..].to_vec();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = joined(&body);
        }
        Answer { status, head, body }
    }

    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.text());
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn events(&self) -> Vec<SentEvent> {
        let text = self.text();
        let blocks = text.split("\n\n").filter(|block| block.contains("data: "));
        let field = |block: &str, name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_owned()
        };
        let event = |block: &str| SentEvent {
            id: field(block, "id:"),
            kind: field(block, "event:"),
            data: field(block, "data:"),
        };
        blocks.map(event).collect()
    }
}

/// The chunks of a body, as far as they came.
fn joined(body: &[u8]) -> Vec<u8> {
    let (mut rest, mut whole) = (body, Vec::new());
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = String::from_utf8_lossy(&rest[..end]).into_owned();
        let length = usize::from_str_radix(length.split(';').next().unwrap(), 16).unwrap();
        let chunk = &rest[end + 2..];
        whole.extend_from_slice(&chunk[..length.min(chunk.len())]);
        if length == 0 || chunk.len() < length + 2 {
            break;
        }
        rest = &chunk[length + 2..];
    }
    whole
}
