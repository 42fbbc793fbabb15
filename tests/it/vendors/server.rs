//! A vendor: a loopback server that checks what it is asked, answers from a script and misbehaves on request.

use super::api::{Api, Asked, Manner, Problem, request_id};
use super::fit::fit;
use super::wire::{self, Request, Response};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io::BufReader;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The ways in which a server misbehaves at a call. A request that breaks the documented rules is refused regardless of
/// these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// An error as the vendor documents it.
    Error(Problem),
    /// 429 with `Retry-After` in seconds.
    RetryAfter(u32),
    /// 429 with `Retry-After` as the date that is so many seconds away.
    RetryAfterDate(u32),
    /// A status and a page that no API sent, but something in front of it.
    Gateway(u16),
    /// Never a byte.
    Silent,
    /// Half of the announced body.
    Torn,
    /// 200 with something that is not JSON.
    NotJson,
    /// The answer with a letter in Latin-1.
    NotUtf8,
    /// The answer, said to be compressed.
    Compressed,
    /// The answer, with a header that names no coding.
    EmptyCoding,
    /// The answer, beside an error that says nothing.
    EmptyError,
    /// The answer, beside an error.
    ErrorBeside,
    /// The answer, beside half a surrogate pair.
    HalfSurrogate,
    /// The answer after a byte order mark.
    Marked,
    /// 200 with a stream of events that no one asked for.
    Streams,
    /// JSON that no one asked for.
    OtherSchema,
    /// The model declines.
    Refuses,
    /// No choice, block or candidate.
    Nothing,
    /// Cut at the token limit.
    CutOff,
    /// The answer, with all that is not ASCII escaped.
    Escaped,
    /// The answer, with so many bytes of a text that repeats itself in the field named.
    Huge(&'static str, usize),
    /// The answer, with so many bytes of space around it.
    Padded(usize),
    /// 307 to this address.
    Redirect(String),
    /// The connection is closed when the request has been read.
    HangsUp,
    /// The answer; then the connection is closed, which its headers do not say.
    AnswersAndCloses,
}

/// At which calls, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    Until(usize),
    At(usize),
}

/// The answers of the model, in order; the last of a list is repeated.
#[derive(Debug, Clone, Default)]
pub(super) struct Script {
    by_model: BTreeMap<String, VecDeque<Value>>,
    otherwise: VecDeque<Value>,
}

impl Script {
    pub(super) fn of(values: impl IntoIterator<Item = Value>) -> Self {
        Script { by_model: BTreeMap::new(), otherwise: values.into_iter().collect() }
    }

    /// Adds the next answer of this model.
    pub(super) fn add(&mut self, model: &str, value: Value) {
        self.by_model.entry(model.to_owned()).or_default().push_back(value);
    }

    fn next(&mut self, model: &str) -> Option<Value> {
        let said = self.by_model.get_mut(model).unwrap_or(&mut self.otherwise);
        if said.len() > 1 { said.pop_front() } else { said.front().cloned() }
    }
}

/// One request, and its outcome.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// The number of its connection, from 1.
    pub(super) connection: usize,
    pub(super) request: Request,
    /// The content of the request, unless it was refused.
    pub(super) asked: Option<Asked>,
}

impl Seen {
    pub(super) fn body(&self) -> Value {
        serde_json::from_slice(&self.request.body).unwrap_or_default()
    }
}

#[derive(Default)]
struct Record {
    seen: Vec<Seen>,
    complaints: Vec<String>,
    connections: usize,
    closing: bool,
}

struct Desk {
    api: Api,
    key: Option<String>,
    faults: Vec<(When, Fault)>,
    script: Mutex<Script>,
    record: Mutex<Record>,
    closed: Condvar,
}

/// A running server. It stops when it is dropped.
pub(super) struct Vendor {
    address: SocketAddr,
    desk: Arc<Desk>,
}

/// The settings of a server.
pub(super) struct Setup {
    pub(super) api: Api,
    /// The key that requests must show.
    pub(super) key: Option<String>,
    pub(super) script: Script,
    /// The first that fits a call counts.
    pub(super) faults: Vec<(When, Fault)>,
}

impl Vendor {
    pub(super) fn start(setup: Setup) -> Self {
        let Setup { api, key, script, faults } = setup;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (script, record, closed) = (Mutex::new(script), Mutex::default(), Condvar::new());
        let desk = Arc::new(Desk { api, key, faults, script, record, closed });
        let serving = Arc::clone(&desk);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = {
                    let mut record = serving.record.lock().unwrap();
                    if record.closing {
                        return;
                    }
                    record.connections += 1;
                    record.connections
                };
                let (Ok(stream), desk) = (stream, Arc::clone(&serving)) else { continue };
                std::thread::spawn(move || desk.serve(stream, connection));
            }
        });
        Vendor { address, desk }
    }

    /// `http://127.0.0.1:PORT`
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.desk.record.lock().unwrap().seen.clone()
    }

    pub(super) fn calls(&self) -> usize {
        self.desk.record.lock().unwrap().seen.len()
    }

    pub(super) fn connections(&self) -> usize {
        self.desk.record.lock().unwrap().connections
    }

    /// The faults of requests, by the API's documentation.
    pub(super) fn complaints(&self) -> Vec<String> {
        self.desk.record.lock().unwrap().complaints.clone()
    }
}

impl Drop for Vendor {
    fn drop(&mut self) {
        self.desk.record.lock().unwrap_or_else(std::sync::PoisonError::into_inner).closing = true;
        self.desk.closed.notify_all();
        let _ = TcpStream::connect(self.address);
    }
}

impl Desk {
    /// Answers the requests of a connection until either side closes it.
    fn serve(&self, mut stream: TcpStream, connection: usize) {
        let Ok(reading) = stream.try_clone() else { return };
        let mut reader = BufReader::new(reading);
        while let Some(request) = wire::read(&mut reader) {
            let closes =
                request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
            if !self.handle(request, connection, &mut stream) || closes {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    /// Returns whether the connection stays open.
    fn handle(&self, request: Request, connection: usize, stream: &mut TcpStream) -> bool {
        let checked = self.api.check(&request, self.key.as_deref());
        let call = {
            let mut record = self.record.lock().unwrap();
            let asked = checked.as_ref().ok().cloned();
            record.seen.push(Seen { connection, request, asked });
            record.seen.len()
        };
        let asked = match checked {
            Ok(asked) => asked,
            Err(problem) => {
                // A missing or wrong key may be what a test is about; anything else is the codec's fault.
                if !matches!(problem, Problem::NoKey | Problem::BadKey(_)) {
                    self.complain(format!("call {call}: {problem:?}"));
                }
                return self.api.error(call, &problem).send(stream);
            }
        };
        let fits = |when: When| match when {
            When::Always => true,
            When::Until(last) => call <= last,
            When::At(number) => call == number,
        };
        let fault = self.faults.iter().find(|(when, _)| fits(*when)).map(|(_, fault)| fault);
        self.respond(call, &asked, fault, stream)
    }

    fn complain(&self, what: String) {
        self.record.lock().unwrap().complaints.push(what);
    }

    fn respond(&self, call: usize, asked: &Asked, fault: Option<&Fault>, stream: &mut TcpStream) -> bool {
        let limited = || self.api.error(call, &Problem::TooMany { quota: false });
        let Some(fault) = fault else { return self.answer(call, asked).send(stream) };
        match fault {
            Fault::Error(problem) => self.api.error(call, problem).send(stream),
            Fault::RetryAfter(seconds) => limited().with("retry-after", seconds.to_string()).send(stream),
            Fault::RetryAfterDate(seconds) => {
                let at = jiff::Timestamp::now() + Duration::from_secs(u64::from(*seconds));
                let date =
                    jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).unwrap();
                limited().with("retry-after", date).send(stream)
            }
            Fault::Gateway(status) => {
                let page = "<html><head><title>Bad gateway</title></head><body>upstream</body></html>";
                let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
                Response { status: *status, headers, body: page.into() }.send(stream)
            }
            Fault::Silent => {
                let record = self.record.lock().unwrap();
                drop(self.closed.wait_while(record, |record| !record.closing));
                false
            }
            Fault::Torn => {
                self.answer(call, asked).send_half(stream);
                false
            }
            Fault::NotJson => {
                let mut answer = self.answer(call, asked);
                answer.body.truncate(answer.body.len() / 2);
                answer.send(stream)
            }
            Fault::NotUtf8 => {
                let mut answer = self.answer(call, asked);
                let at = answer.body.windows(9).position(|word| word == b"carcinoma").unwrap();
                answer.body[at] = 0xe7;
                answer.send(stream)
            }
            Fault::Compressed => self.answer(call, asked).with("content-encoding", "gzip").send(stream),
            Fault::EmptyCoding => self.answer(call, asked).with("content-encoding", "").send(stream),
            Fault::EmptyError => self.beside(call, asked, r#""error":{"code":0,"message":""}"#).send(stream),
            Fault::ErrorBeside => {
                let error = r#""error":{"code":503,"message":"The upstream broke off."}"#;
                self.beside(call, asked, error).send(stream)
            }
            Fault::HalfSurrogate => self.beside(call, asked, r#""note":"\ud83d""#).send(stream),
            Fault::Marked => {
                let mut answer = self.answer(call, asked);
                answer.body.splice(0..0, *b"\xef\xbb\xbf");
                answer.send(stream)
            }
            Fault::Streams => {
                let mut events = b"data: ".to_vec();
                events.extend(self.answer(call, asked).body);
                events.extend(b"\n\ndata: [DONE]\n\n");
                let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
                Response { status: 200, headers, body: events }.send(stream)
            }
            Fault::OtherSchema => {
                let other = json!({ "forecast": [{ "city": "Oslo", "sky": "clear" }] });
                self.api.answer(call, asked, &other, Manner::Whole).send(stream)
            }
            Fault::Refuses => self.api.refusal(call, asked).send(stream),
            Fault::Nothing => self.api.nothing(call, asked).send(stream),
            Fault::CutOff => {
                let value = self.says(call, asked);
                self.api.answer(call, asked, &value, Manner::Cut).send(stream)
            }
            Fault::Escaped => {
                let value = self.says(call, asked);
                self.api.answer(call, asked, &value, Manner::Escaped).send(stream)
            }
            Fault::Huge(field, bytes) => {
                let mut value = self.says(call, asked);
                let fields =
                    if value.get("extraction").is_some() { &mut value["extraction"] } else { &mut value };
                fields[*field] = json!("no end to it ".repeat(bytes / 13));
                self.api.answer(call, asked, &value, Manner::Whole).send(stream)
            }
            Fault::Padded(bytes) => {
                let mut answer = self.answer(call, asked);
                answer.body.splice(0..0, std::iter::repeat_n(b' ', *bytes));
                answer.send(stream)
            }
            Fault::Redirect(to) => {
                let headers = vec![("location".to_owned(), to.clone())];
                Response { status: 307, headers, body: Vec::new() }.send(stream)
            }
            Fault::HangsUp => false,
            Fault::AnswersAndCloses => {
                self.answer(call, asked).send(stream);
                false
            }
        }
    }

    fn answer(&self, call: usize, asked: &Asked) -> Response {
        let value = self.says(call, asked);
        self.api.answer(call, asked, &value, Manner::Whole)
    }

    /// The answer with another member.
    fn beside(&self, call: usize, asked: &Asked, member: &str) -> Response {
        let mut answer = self.answer(call, asked);
        answer.body.splice(0..1, format!("{{{member},").into_bytes());
        answer
    }

    /// The next answer of the model, in the form that the schema of the request asks for.
    fn says(&self, call: usize, asked: &Asked) -> Value {
        let Some(value) = self.script.lock().unwrap().next(&asked.model) else {
            self.complain(format!("call {call} ({}): the script has nothing for it", request_id(call)));
            return Value::Null;
        };
        let Some(schema) = &asked.schema else { return value };
        fit(schema, &value).unwrap_or_else(|why| {
            if asked.binding {
                self.complain(format!("call {call}: {why}"));
            }
            value
        })
    }
}
