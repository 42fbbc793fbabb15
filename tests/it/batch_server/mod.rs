//! A vendor's batch API on the loopback, in the shapes of OpenAI, Azure, Anthropic and Gemini. It takes batches, counts the
//! lines that are paid for, answers single calls too, and misbehaves on request.

mod shape;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::loopback::{http, serve};

/// The key that every request must show.
pub(crate) const KEY: &str = "a-key-for-batches-0123456789";

/// The vendor whose shapes the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Azure,
    Anthropic,
    Gemini,
}

pub(crate) const SHAPES: [Shape; 4] = [Shape::OpenAi, Shape::Azure, Shape::Anthropic, Shape::Gemini];

/// The ways in which the server misbehaves. Lines count from 0, over all batches in the order in which they were taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The line has no result at all.
    LeftOut(usize),
    /// The line has its result twice.
    Twice(usize),
    /// There is a result of a line of this id.
    Unknown(&'static str),
    /// The line fails, as it may not the next time.
    Errored(usize),
    /// The line is refused as a bad request.
    BadRequest(usize),
    /// The model declines. That is paid for.
    Declined(usize),
    /// The answer is cut at its limit on tokens. That is paid for.
    Truncated(usize),
    /// The line's result is not valid JSON.
    Garbled(usize),
    /// The result has this many additional bytes.
    Huge(usize, usize),
    /// These lines and all after them are not done in time.
    ExpiredFrom(usize),
    /// These lines and all after them are canceled.
    CanceledFrom(usize),
    /// The first so many batches never end.
    NeverEnds(usize),
    /// A batch is in progress for so many polls.
    Polls(usize),
    /// The first so many submits are answered with 500, after the batch was taken.
    LosesHandle(usize),
    /// The first so many submits are answered with 500, and no batch is made.
    Breaks(usize),
    /// The first so many batches fail as a whole; `true`: for want of room, so that they may be taken later.
    FailsWhole(usize, bool),
    /// Lists have so many batches on a page.
    Pages(usize),
    /// The first so many downloads break off in the middle.
    Torn(usize),
    /// The first so many requests of any kind are turned away with 429.
    TooMany(usize),
    /// Its results are gone.
    Archived,
}

/// The model's answer to a call: the body of the request in, the value out.
pub(crate) type Model = Box<dyn FnMut(&Value) -> Value + Send>;

/// An observer of requests: gets the method and path of each before it is answered.
type Witness = Box<dyn FnMut(&str) + Send>;

/// One batch as the vendor has it.
struct Taken {
    handle: String,
    own_id: Option<String>,
    input: Option<String>,
    /// The results, a line each.
    results: Vec<String>,
    /// Those that go to OpenAI's file of errors.
    errors: Vec<String>,
    polls: usize,
    number: usize,
    counts: Counts,
    canceled: bool,
    deleted: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    total: usize,
    succeeded: usize,
    errored: usize,
    expired: usize,
    canceled: usize,
}

struct Desk {
    shape: Shape,
    model: Model,
    faults: Vec<Fault>,
    batches: Vec<Taken>,
    files: BTreeMap<String, String>,
    seen: Vec<String>,
    complaints: Vec<String>,
    lines: usize,
    paid: usize,
    online: usize,
    submits: usize,
    downloads: usize,
    requests: usize,
    witness: Option<Witness>,
}

/// A running server.
pub(crate) struct BatchServer {
    address: SocketAddr,
    desk: Arc<Mutex<Desk>>,
}

impl BatchServer {
    pub(crate) fn start(
        shape: Shape,
        faults: Vec<Fault>,
        model: impl FnMut(&Value) -> Value + Send + 'static,
    ) -> Self {
        let desk = Arc::new(Mutex::new(Desk {
            shape,
            model: Box::new(model),
            faults,
            batches: Vec::new(),
            files: BTreeMap::new(),
            seen: Vec::new(),
            complaints: Vec::new(),
            lines: 0,
            paid: 0,
            online: 0,
            submits: 0,
            downloads: 0,
            requests: 0,
            witness: None,
        }));
        let serving = Arc::clone(&desk);
        let address = serve(move |request| serving.lock().unwrap().handle(request));
        Self { address, desk }
    }

    /// The value for `base_url`.
    pub(crate) fn url(&self) -> String {
        let path = match self.desk().shape {
            Shape::OpenAi | Shape::Anthropic => "/v1",
            Shape::Azure => "",
            Shape::Gemini => "/v1beta",
        };
        format!("http://{}{path}", self.address)
    }

    /// The variable of the key, and the endpoint.
    pub(crate) fn names(&self) -> (&'static str, &'static str) {
        match self.desk().shape {
            Shape::OpenAi => ("OPENAI_API_KEY", "openai"),
            Shape::Azure => ("AZURE_OPENAI_API_KEY", "azure"),
            Shape::Anthropic => ("ANTHROPIC_API_KEY", "anthropic"),
            Shape::Gemini => ("GOOGLE_API_KEY", "gemini"),
        }
    }

    /// Lines that were paid for.
    pub(crate) fn paid(&self) -> usize {
        self.desk().paid
    }

    /// Calls that were answered at once.
    pub(crate) fn online(&self) -> usize {
        self.desk().online
    }

    /// Batches that were taken.
    pub(crate) fn batches(&self) -> usize {
        self.desk().batches.len()
    }

    /// Files that the vendor still has.
    pub(crate) fn files(&self) -> usize {
        self.desk().files.len()
    }

    /// Method and path of every request.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.desk().seen.clone()
    }

    /// The faults of requests, by the vendor's documentation.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.desk().complaints.clone()
    }

    /// Behaves from here on: only these faults.
    pub(crate) fn behave(&self, faults: Vec<Fault>) {
        self.desk().faults = faults;
    }

    /// Shows every request to `witness` before acting on it.
    pub(crate) fn show(&self, witness: impl FnMut(&str) + Send + 'static) {
        self.desk().witness = Some(Box::new(witness));
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap()
    }
}

/// A request, taken apart.
struct Asked<'a> {
    method: &'a str,
    path: &'a str,
    query: &'a str,
    head: &'a str,
    body: &'a str,
}

impl<'a> Asked<'a> {
    fn of(request: &'a str) -> Option<Self> {
        let (head, body) = request.split_once("\r\n\r\n")?;
        let mut words = head.lines().next()?.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Some(Self { method, path, query, head, body })
    }

    fn header(&self, name: &str) -> Option<&'a str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.query
            .split('&')
            .find_map(|pair| pair.split_once('=').filter(|(known, _)| *known == name))
            .map(|(_, v)| v)
    }

    fn json(&self) -> Value {
        serde_json::from_str(self.body).unwrap_or_default()
    }
}

/// An answer: a status and a body.
type Reply = (u16, String);

fn ok(body: &Value) -> Reply {
    (200, body.to_string())
}

impl Desk {
    fn handle(&mut self, request: &str) -> String {
        let Some(asked) = Asked::of(request) else { return http("400 Bad", "", "") };
        let seen = format!("{} {}", asked.method, asked.path);
        if let Some(witness) = &mut self.witness {
            witness(&seen);
        }
        self.seen.push(seen);
        self.requests += 1;
        let (status, body) = if self.has(|fault| matches!(fault, Fault::TooMany(n) if self.requests <= *n)) {
            (429, self.error("rate_limit_error", "slow down"))
        } else if !self.shows_key(&asked) {
            (401, self.error("authentication_error", "no key"))
        } else {
            self.route(&asked).unwrap_or_else(|| {
                self.complaints.push(format!("no such path: {} {}", asked.method, asked.path));
                (404, self.error("not_found_error", "no such path"))
            })
        };
        let kind = if body.starts_with('{') { "application/json" } else { "application/x-ndjson" };
        if status == 200 && self.is_download(&asked) {
            self.downloads += 1;
            if self.has(|fault| matches!(fault, Fault::Torn(n) if self.downloads <= *n)) {
                let whole = http("200 OK", &format!("content-type: {kind}\r\n"), &body);
                return whole[..whole.len() - body.len() / 2].to_owned();
            }
        }
        http(&format!("{status} X"), &format!("content-type: {kind}\r\n"), &body)
    }

    fn has(&self, is: impl Fn(&Fault) -> bool) -> bool {
        self.faults.iter().any(is)
    }

    fn is_download(&self, asked: &Asked<'_>) -> bool {
        ["/content", "/results", ":download"].iter().any(|end| asked.path.ends_with(end))
    }

    fn shows_key(&self, asked: &Asked<'_>) -> bool {
        let (header, value) = match self.shape {
            Shape::OpenAi => ("authorization", format!("Bearer {KEY}")),
            Shape::Azure => ("api-key", KEY.to_owned()),
            Shape::Anthropic => ("x-api-key", KEY.to_owned()),
            Shape::Gemini => ("x-goog-api-key", KEY.to_owned()),
        };
        asked.header(header) == Some(value.as_str())
    }

    fn complain(&mut self, what: impl Into<String>) {
        self.complaints.push(what.into());
    }

    /// An error in the vendor's words.
    fn error(&self, kind: &str, message: &str) -> String {
        json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string()
    }

    /// A file that the vendor keeps.
    fn keep(&mut self, content: String) -> String {
        let id = match self.shape {
            Shape::Gemini => format!("files/f{}", self.requests),
            _ => format!("file-{}", self.requests),
        };
        self.files.insert(id.clone(), content);
        id
    }

    /// Takes a batch of these lines, `(custom_id, body)` each, and does all of it at once.
    fn take(&mut self, own_id: Option<String>, input: Option<String>, lines: Vec<(String, Value)>) -> Reply {
        self.submits += 1;
        let submits = self.submits;
        if self.has(|fault| matches!(fault, Fault::Breaks(n) if submits <= *n)) {
            return (500, self.error("api_error", "broken"));
        }
        let number = self.batches.len() + 1;
        let handle = match self.shape {
            Shape::OpenAi | Shape::Azure => format!("batch_{number}"),
            Shape::Anthropic => format!("msgbatch_{number}"),
            Shape::Gemini => format!("batches/b{number}"),
        };
        let mut taken = Taken {
            handle,
            own_id,
            input,
            results: Vec::new(),
            errors: Vec::new(),
            polls: 0,
            number,
            counts: Counts { total: lines.len(), ..Counts::default() },
            canceled: false,
            deleted: false,
        };
        let fails = self.has(|fault| matches!(fault, Fault::FailsWhole(n, _) if number <= *n));
        for (id, body) in lines.into_iter().filter(|_| !fails) {
            if !is_id(&id) {
                self.complain(format!("`{id}` can't be the id of a line"));
            }
            self.do_line(&id, &body, &mut taken);
        }
        if let Some(Fault::Unknown(id)) = self.faults.iter().find(|fault| matches!(fault, Fault::Unknown(_)))
        {
            let answer = self.shape.answer(&json!({ "model": "m" }), &json!({}));
            taken.results.push(self.shape.result(id, &shape::Became::Answered(answer)));
        }
        self.batches.push(taken);
        if self.has(|fault| matches!(fault, Fault::LosesHandle(n) if submits <= *n)) {
            return (500, self.error("api_error", "broken"));
        }
        let taken = &self.batches[number - 1];
        ok(&self.described(taken))
    }

    fn do_line(&mut self, id: &str, body: &Value, taken: &mut Taken) {
        use shape::Became;
        let at = self.lines;
        self.lines += 1;
        let mut became = None;
        let (mut twice, mut left_out, mut garbled, mut more) = (false, false, false, 0);
        for fault in &self.faults {
            match fault {
                Fault::Errored(line) if *line == at => became = Some(Became::Errored(529)),
                Fault::BadRequest(line) if *line == at => became = Some(Became::Errored(400)),
                Fault::Declined(line) if *line == at => {
                    became = Some(Became::Answered(self.shape.declined(body)))
                }
                Fault::Truncated(line) if *line == at => {
                    became = Some(Became::Answered(self.shape.truncated(body)))
                }
                Fault::ExpiredFrom(line) if at >= *line => became = Some(Became::Expired),
                Fault::CanceledFrom(line) if at >= *line => became = Some(Became::Canceled),
                Fault::LeftOut(line) if *line == at => left_out = true,
                Fault::Twice(line) if *line == at => twice = true,
                Fault::Garbled(line) if *line == at => garbled = true,
                Fault::Huge(line, bytes) if *line == at => more = *bytes,
                _ => {}
            }
        }
        let became = became.unwrap_or_else(|| Became::Answered(self.shape.answer(body, &(self.model)(body))));
        match became {
            Became::Answered(_) => {
                taken.counts.succeeded += 1;
                self.paid += 1;
            }
            Became::Errored(_) => taken.counts.errored += 1,
            Became::Expired => taken.counts.expired += 1,
            Became::Canceled => taken.counts.canceled += 1,
        }
        if left_out {
            return;
        }
        let mut result = self.shape.result(id, &became);
        if garbled {
            result.truncate(result.len() / 2);
        }
        result.push_str(&" ".repeat(more));
        let is_error =
            matches!(self.shape, Shape::OpenAi | Shape::Azure) && !matches!(became, Became::Answered(_));
        let to = if is_error { &mut taken.errors } else { &mut taken.results };
        to.push(result.clone());
        if twice {
            to.push(result);
        }
    }

    /// A single call.
    fn online(&mut self, body: &Value) -> Reply {
        self.online += 1;
        ok(&self.shape.answer(body, &(self.model)(body)))
    }

    /// Returns whether a batch is at its end. Each call brings it nearer.
    fn is_over(&mut self, at: usize) -> bool {
        let polls = self.faults.iter().find_map(|f| if let Fault::Polls(n) = f { Some(*n) } else { None });
        let taken = &mut self.batches[at];
        taken.polls += 1;
        let (polled, number, canceled) = (taken.polls, taken.number, taken.canceled);
        let never = self.has(|fault| matches!(fault, Fault::NeverEnds(n) if number <= *n));
        canceled || (!never && polled > polls.unwrap_or(0))
    }

    fn place(&self, handle: &str) -> Option<usize> {
        self.batches.iter().position(|taken| taken.handle == handle && !taken.deleted)
    }

    /// The batches of a page, the newest first, and whether there are more behind.
    fn page(&self, after: Option<&str>, limit: usize) -> (Vec<&Taken>, bool) {
        let small = self.faults.iter().find_map(|f| if let Fault::Pages(n) = f { Some(*n) } else { None });
        let mut rest: Vec<&Taken> = self.batches.iter().rev().filter(|taken| !taken.deleted).collect();
        if let Some(at) = after.and_then(|after| rest.iter().position(|taken| taken.handle == after)) {
            rest.drain(..=at);
        }
        let limit = small.unwrap_or(limit).min(limit);
        let more = rest.len() > limit;
        rest.truncate(limit);
        (rest, more)
    }
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
