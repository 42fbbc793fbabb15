//! HTTP/1.1 on a socket, as much of it as an API's front door has: one request after the other on a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// More than any prompt of these tests.
const MOST_BODY: usize = 64 << 20;

/// A request of a client.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of a header that appears once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(given, _)| given == name);
        let (_, value) = values.next()?;
        values.next().is_none().then_some(value.as_str())
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether the body is declared to be JSON in UTF-8.
    pub(super) fn is_json(&self) -> bool {
        let kind = self.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let mut parts = kind.split(';').map(str::trim);
        parts.next() == Some("application/json") && parts.all(|part| part == "charset=utf-8")
    }
}

/// The next request; `None` when the client has closed the connection, or does not speak HTTP.
pub(super) fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let line = line(reader)?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if version != "HTTP/1.1" || words.next().is_some() {
        return None;
    }
    let mut headers = Vec::new();
    loop {
        let line = self::line(reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let query = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        headers,
        body: Vec::new(),
    };
    request.header("host")?;
    request.body = match (request.header("content-length"), request.header("transfer-encoding")) {
        (None, None) => Vec::new(),
        (Some(length), None) => {
            let length = length.parse().ok().filter(|length| *length <= MOST_BODY)?;
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            body
        }
        (None, Some("chunked")) => chunks(reader)?,
        _ => return None,
    };
    Some(request)
}

fn line(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    line.strip_suffix("\r\n").map(str::to_owned)
}

fn chunks(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = usize::from_str_radix(&line(reader)?, 16).ok()?;
        let start = body.len();
        if size > MOST_BODY - start {
            return None;
        }
        body.resize(start + size, 0);
        reader.read_exact(&mut body[start..]).ok()?;
        line(reader).filter(String::is_empty)?;
        if size == 0 {
            return Some(body);
        }
    }
}

/// The response to a client.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Response {
    pub(super) fn json(status: u16, body: &serde_json::Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Response { status, headers, body: body.to_string().into_bytes() }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    fn head(&self) -> Vec<u8> {
        let Response { status, headers, body } = self;
        // Clients must not need the reason phrase.
        let mut head = format!("HTTP/1.1 {status} \r\ncontent-length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        head.push_str("\r\n");
        head.into_bytes()
    }

    /// Sends all of it; returns whether the client took it.
    pub(super) fn send(&self, stream: &mut TcpStream) -> bool {
        stream.write_all(&self.head()).and_then(|()| stream.write_all(&self.body)).is_ok()
            && stream.flush().is_ok()
    }

    /// Announces all of it and sends half.
    pub(super) fn send_half(&self, stream: &mut TcpStream) {
        let half = self.body.get(..self.body.len() / 2).unwrap_or_default();
        let _ = stream.write_all(&self.head()).and_then(|()| stream.write_all(half));
        let _ = stream.flush();
    }
}
