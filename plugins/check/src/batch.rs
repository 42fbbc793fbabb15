//! LC_BATCH: the steps of a vendor's batch API, of plugins with the capability `batch`.

use loopctl_plugin_sdk::abi::{
    LC_BATCH, LC_ENCODE, LC_INVALID_REQUEST, LC_OK, LC_RATE_LIMITED, LC_TRANSIENT, LC_UNAUTHORIZED,
};
use loopctl_plugin_sdk::protocol::batch::{
    BatchAnswer, BatchLimits, BatchLine, BatchRequest, BatchResult, BatchSince, BatchState, BatchStep,
    BatchTurn, FoundBatch, NewBatch,
};
use loopctl_plugin_sdk::protocol::{HttpRequest, PluginKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::check::{CheckResult, ContractCheck, broken};
use super::subject::PluginUnderTest;
use super::{http_request, samples, verdict};
use crate::provider::plugin::{ProbedInstance, RawReply};

/// The prefix of the ids of these checks.
pub(super) const GROUP: &str = "batch.";
const HTTP: Option<PluginKind> = Some(PluginKind::Http);
const LIMITS: &[&str] = &["encode.minimal", "batch.limits"];
const LINE: &[&str] = &["encode.minimal", "batch.limits", "batch.line"];
const HANDLE: &str = "conformance-handle";

pub(super) static CHECKS: [ContractCheck; 7] = [
    ContractCheck {
        id: "batch.limits",
        kind: HTTP,
        needs: &["encode.minimal"],
        asks: "the step `limits` says what one batch may hold, or `null` where the service has no batches",
        help: "answer `{\"max_lines\": …, \"max_bytes\": …}`, both above 0; without LC_BATCH, leave the capability `batch` out",
        run: |subject| {
            let opened = subject.open()?;
            let found = match limits(&opened)? {
                None => "the service has no batches".to_owned(),
                Some(BatchLimits { max_lines: 0, .. } | BatchLimits { max_bytes: 0, .. }) => {
                    return broken("the limits are 0, which no batch can keep");
                }
                Some(limits) => format!("{} lines, {} bytes", limits.max_lines, limits.max_bytes),
            };
            opened.close();
            Ok(found)
        },
    },
    ContractCheck {
        id: "batch.line",
        kind: HTTP,
        needs: LIMITS,
        asks: "a call becomes one line of JSON with its id, the same each time, and without a key",
        help: "write the body that `encode` made into the line, not its headers",
        run: line,
    },
    ContractCheck {
        id: "batch.submit",
        kind: HTTP,
        needs: LINE,
        asks: "the step `submit` uploads the lines with a request that the host would send, and says which one makes the batch",
        help: "begin with a request that has `upload`; set `creates` at the one that makes the batch",
        run: submit,
    },
    ContractCheck {
        id: "batch.steps",
        kind: HTTP,
        needs: LIMITS,
        asks: "`find`, `poll`, `results`, `cancel` and `delete` begin with a request that the host would send, or end at once",
        help: "answer `{\"send\": {\"request\": …}}` or `{\"done\": …}`",
        run: |subject| {
            let opened = subject.open()?;
            for (name, step) in steps(HANDLE) {
                first(subject, &opened, name, &step(BatchTurn::default()))?;
            }
            opened.close();
            Ok("each begins".to_owned())
        },
    },
    ContractCheck {
        id: "batch.refusals",
        kind: HTTP,
        needs: &["encode.minimal", "batch.limits", "batch.line", "batch.submit", "batch.steps"],
        asks: "in each step, status 401 is UNAUTHORIZED, 429 RATE_LIMITED and 500 TRANSIENT, whatever the body",
        help: "look at the status of a response before its body",
        run: refusals,
    },
    ContractCheck {
        id: "batch.handle",
        kind: HTTP,
        needs: &["encode.minimal", "batch.limits", "batch.steps"],
        asks: "a handle never leads a request elsewhere: it is refused, or escaped",
        help: "put it into the path as a segment of its own, percent-encoded, and refuse `.` and `..`",
        run: handle,
    },
    ContractCheck {
        id: "batch.nonsense",
        kind: HTTP,
        needs: LIMITS,
        asks: "a line that is not a result, and input that is not a step, are INVALID_REQUEST, without quoting them",
        help: "return INVALID_REQUEST with `{\"message\": …}` in `out`",
        run: nonsense,
    },
];

/// LC_BATCH of these bytes.
fn ask(opened: &ProbedInstance, input: &[u8]) -> Result<RawReply, String> {
    opened.call(LC_BATCH, input).ok_or_else(|| "there is no `call`".to_owned())
}

fn step(opened: &ProbedInstance, step: &BatchStep) -> Result<RawReply, String> {
    ask(opened, &serde_json::to_vec(step).unwrap_or_default())
}

fn limits(opened: &ProbedInstance) -> Result<Option<BatchLimits>, String> {
    let answer = step(opened, &BatchStep::Limits)?;
    verdict::payload(&answer, "the limits of a batch", "asking for the limits of a batch")
}

/// Returns whether the service has no batches, so that there is nothing more to see.
fn has_none(opened: &ProbedInstance) -> Result<bool, String> {
    limits(opened).map(|limits| limits.is_none())
}

fn encoded(opened: &ProbedInstance, id: &str) -> Result<HttpRequest, String> {
    let request = samples::bytes(&samples::minimal(id));
    let answer = opened.call(LC_ENCODE, &request).ok_or_else(|| "there is no `call`".to_owned())?;
    verdict::payload(&answer, "an HTTP request", "encoding one message")
}

fn lined(opened: &ProbedInstance, id: &str) -> Result<BatchLine, String> {
    let request = encoded(opened, id)?;
    let answer = step(opened, &BatchStep::Line { custom_id: id.to_owned(), request })?;
    verdict::payload(&answer, "a line of a batch", "making a call a line of a batch")
}

fn line(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    if has_none(&opened)? {
        return Ok("the service has no batches".to_owned());
    }
    let [one, other, again] = ["line-one", "line-other", "line-one"].map(|id| lined(&opened, id));
    let (one, other, again) = (one?, other?, again?);
    if serde_json::from_str::<Value>(&one.text).is_err() || one.text.contains(['\n', '\r']) {
        return broken("the line is not JSON on one line");
    }
    if !one.text.contains("line-one") || one.text == other.text {
        return broken("the line doesn't hold its id");
    }
    if one != again {
        return broken("the same call became another line the next time");
    }
    if one.text.contains("${secret:") {
        return broken("the line asks for a key, which the host fills in headers only");
    }
    if (&one.model, &one.endpoint) != (&other.model, &other.endpoint) {
        return broken("two calls of one model are reported to be of different models or endpoints");
    }
    opened.close();
    Ok(format!("a line of {} bytes", one.text.len()))
}

/// Makes a step of a turn.
type StepFn = Box<dyn Fn(BatchTurn) -> BatchStep>;

/// The steps about an existing batch, and the search.
fn steps(handle: &str) -> Vec<(&'static str, StepFn)> {
    let since = BatchSince { unix: 1_795_000_000, utc: "2026-11-18T15:06:40Z".to_owned() };
    let [poll, results, cancel, delete] = [(); 4].map(|()| handle.to_owned());
    vec![
        (
            "find",
            Box::new(move |turn| BatchStep::Find {
                own_id: "own-id".to_owned(),
                since: Some(since.clone()),
                turn,
            }),
        ),
        ("poll", Box::new(move |turn| BatchStep::Poll { handle: poll.clone(), turn })),
        ("results", Box::new(move |turn| BatchStep::Results { handle: results.clone(), turn })),
        ("cancel", Box::new(move |turn| BatchStep::Cancel { handle: cancel.clone(), turn })),
        ("delete", Box::new(move |turn| BatchStep::Delete { handle: delete.clone(), turn })),
    ]
}

/// The first request of a step, if it has any, which the host would send.
fn first(
    subject: &PluginUnderTest<'_>,
    opened: &ProbedInstance,
    name: &str,
    asked: &BatchStep,
) -> Result<Option<BatchRequest>, String> {
    let doing = format!("beginning the step `{name}`");
    let answer: BatchAnswer<Value> = verdict::payload(&step(opened, asked)?, "what comes next", &doing)?;
    let problem = |problem: String| format!("while {doing}: {problem}");
    match answer {
        BatchAnswer::Send(next) => {
            sendable(subject, &next).map_err(problem)?;
            Ok(Some(*next))
        }
        BatchAnswer::Done(done) => {
            if !ends(name, &done) {
                return Err(problem("`done` is not what this step ends with".to_owned()));
            }
            // What it would have downloaded is sent, too.
            let downloads: Vec<HttpRequest> = serde_json::from_value(done).unwrap_or_default();
            downloads
                .iter()
                .try_for_each(|request| http_request::check(subject, request))
                .map_err(problem)?;
            Ok(None)
        }
    }
}

/// Returns whether a step can end with this.
fn ends(name: &str, done: &Value) -> bool {
    match name {
        "submit" => done.is_string(),
        "find" => Vec::<FoundBatch>::deserialize(done).is_ok(),
        "poll" => BatchState::deserialize(done).is_ok(),
        "results" => Vec::<HttpRequest>::deserialize(done).is_ok(),
        _ => done.is_null(),
    }
}

fn sendable(subject: &PluginUnderTest<'_>, next: &BatchRequest) -> Result<(), String> {
    match &next.upload {
        None => http_request::check(subject, &next.request),
        Some(_) if !next.request.body.is_empty() => {
            Err("the request has a body and uploads lines besides".to_owned())
        }
        // As it is with its body.
        Some(around) => {
            let body = format!("{}{{}}{}{{}}{}", around.prefix, around.separator, around.suffix);
            http_request::check(subject, &HttpRequest { body, ..next.request.clone() })
        }
    }
}

fn submission(opened: &ProbedInstance) -> Result<StepFn, String> {
    let BatchLine { text, model, endpoint } = lined(opened, "line-one")?;
    let bytes = text.len() as u64;
    let batch = NewBatch { own_id: "own-id".to_owned(), model, endpoint, lines: 1, bytes };
    Ok(Box::new(move |turn| BatchStep::Submit { batch: batch.clone(), turn }))
}

fn submit(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    if has_none(&opened)? {
        return Ok("the service has no batches".to_owned());
    }
    let submit = submission(&opened)?;
    let Some(next) = first(subject, &opened, "submit", &submit(BatchTurn::default()))? else {
        return broken("it says that the batch is made before anything was sent");
    };
    if next.upload.is_none() {
        return broken("the first request of `submit` doesn't upload the lines");
    }
    opened.close();
    Ok(format!(
        "{} {}",
        next.request.method,
        if next.creates { "makes the batch" } else { "uploads the lines" }
    ))
}

fn refusals(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    if has_none(&opened)? {
        return Ok("the service has no batches".to_owned());
    }
    let mut all = steps(HANDLE);
    all.push(("submit", submission(&opened)?));
    let mut tried = 0_usize;
    for (name, asked) in all {
        let Some(next) = first(subject, &opened, name, &asked(BatchTurn::default()))? else { continue };
        for (status, expected) in [(401, LC_UNAUTHORIZED), (429, LC_RATE_LIMITED), (500, LC_TRANSIENT)] {
            for (what, body) in samples::no_bodies() {
                let doing = format!("reading status {status} with {what} in the step `{name}`");
                let response = serde_json::from_slice(&samples::response(status, &body)).ok();
                let turn = BatchTurn { state: next.state.clone(), response };
                verdict::failure_of(&step(&opened, &asked(turn))?, &[expected], &doing)?;
                tried = tried.saturating_add(1);
            }
        }
        for (what, body) in samples::no_bodies() {
            let doing = format!("reading status 200 with {what} in the step `{name}`");
            let response = serde_json::from_slice(&samples::response(200, &body)).ok();
            let answer = step(&opened, &asked(BatchTurn { state: next.state.clone(), response }))?;
            if answer.status != LC_OK {
                verdict::failure(&answer, &doing)?;
            } else if name == "submit" {
                let next: BatchAnswer<Value> = verdict::payload(&answer, "what comes next", &doing)?;
                if let BatchAnswer::Done(_) = next {
                    return broken(format!("it takes a batch for made while {doing}"));
                }
            }
        }
    }
    opened.close();
    Ok(format!("{tried} refusals"))
}

fn handle(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for handle in ["..", ".", "", "../../v1/files", "a?b=c#d", "a b\r\nx: y", "//evil.example.net/x"] {
        for (name, asked) in steps(handle) {
            let answer = step(&opened, &asked(BatchTurn::default()))?;
            let doing = format!("beginning the step `{name}` with an odd handle");
            if answer.status != LC_OK {
                verdict::failure(&answer, &doing)?;
                continue;
            }
            let next: BatchAnswer<Value> = verdict::payload(&answer, "what comes next", &doing)?;
            let requests: Vec<HttpRequest> = match next {
                BatchAnswer::Send(next) => vec![next.request],
                BatchAnswer::Done(done) => serde_json::from_value(done).unwrap_or_default(),
            };
            for request in requests {
                http_request::check(subject, &request)
                    .map_err(|problem| format!("while {doing}: {problem}"))?;
                let (path, _) = request.path.split_once('?').unwrap_or((&request.path, ""));
                if path.split('/').any(|segment| matches!(segment, "." | "..")) || path.contains("//") {
                    return broken(format!("while {doing}: the path leads elsewhere"));
                }
            }
        }
    }
    opened.close();
    Ok("refused or escaped".to_owned())
}

fn nonsense(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for line in ["", "{", "null", "[]", "{}", "{\"custom_id\": 7}", samples::CANARY] {
        let answer = step(&opened, &BatchStep::Result { line: line.to_owned() })?;
        if answer.status == LC_OK {
            let _: BatchResult = verdict::payload(&answer, "a result", "reading a line that is none")?;
            return broken("it reads a result in a line that is none");
        }
        verdict::failure_of(&answer, &[LC_INVALID_REQUEST], "reading a line that is not a result")?;
    }
    let unknown = json!({ "step": "from_the_future" }).to_string().into_bytes();
    let inputs = samples::no_requests().into_iter().chain([("an unknown step", unknown)]);
    for (what, input) in inputs {
        let doing = format!("reading {what} as a step of a batch");
        verdict::failure_of(&ask(&opened, &input)?, &[LC_INVALID_REQUEST], &doing)?;
    }
    opened.close();
    Ok("refused".to_owned())
}
