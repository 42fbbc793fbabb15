//! ENCODE: a completion request becomes an HTTP request.

use loopctl_plugin_sdk::abi::{LC_BATCH, LC_ENCODE, LC_INVALID_REQUEST, LC_OK};
use loopctl_plugin_sdk::protocol::{CompletionRequest, HttpRequest, PluginKind};

use super::check::{CheckFailure, CheckResult, ContractCheck, broken};
use super::samples::{self, CANARY};
use super::subject::PluginUnderTest;
use super::{http_request, verdict};
use crate::provider::plugin::{ProbedInstance, RawReply};

const HTTP: Option<PluginKind> = Some(PluginKind::Http);
const OPENS: &[&str] = &["open.opens", "manifest.hosts"];
const WORKS: &[&str] = &["encode.minimal"];

pub(super) static CHECKS: [ContractCheck; 14] = [
    ContractCheck {
        id: "encode.minimal",
        kind: HTTP,
        needs: OPENS,
        asks: "a request of one message becomes an HTTP request that the host would send",
        help: "method, a path that begins with `/`, legal headers, declared secrets as `${secret:NAME}`, own hosts",
        run: |subject| encodes(subject, &samples::minimal("minimal"), "encoding one message"),
    },
    ContractCheck {
        id: "encode.full",
        kind: HTTP,
        needs: WORKS,
        asks: "a request that uses every field becomes an HTTP request that the host would send",
        help: "leave out what the vendor's API has no place for",
        run: |subject| encodes(subject, &samples::full("full"), "encoding a full request"),
    },
    ContractCheck {
        id: "encode.attachment",
        kind: HTTP,
        needs: WORKS,
        asks: "an attachment is encoded, or refused as INVALID_REQUEST",
        help: "return INVALID_REQUEST and say which media types it takes",
        run: |subject| {
            let request = samples::bytes(&samples::with_attachment("attachment"));
            encodes_or_refuses(subject, &request, "encoding an attachment")
        },
    },
    ContractCheck {
        id: "encode.nothing",
        kind: HTTP,
        needs: WORKS,
        asks: "a request of defaults alone (`{}`) is encoded, or refused as INVALID_REQUEST",
        help: "take the protocol's default for what is missing; refuse what can't be asked",
        run: |subject| encodes_or_refuses(subject, b"{}", "encoding `{}`"),
    },
    ContractCheck {
        id: "encode.future",
        kind: HTTP,
        needs: WORKS,
        asks: "fields that it doesn't know are ignored",
        help: "don't deny unknown fields: a later host may send more",
        run: |subject| {
            let opened = subject.open()?;
            let doing = "encoding a request with unknown fields";
            sendable(subject, &encode(&opened, &samples::from_the_future("future"))?, doing)?;
            opened.close();
            Ok("encoded".to_owned())
        },
    },
    ContractCheck {
        id: "encode.bad_json",
        kind: HTTP,
        needs: WORKS,
        asks: "input that is not a request, empty input too, is INVALID_REQUEST with an error that says so",
        help: "return INVALID_REQUEST with `{\"message\": …}` in `out`, without quoting the input",
        run: bad_json,
    },
    ContractCheck {
        id: "encode.huge",
        kind: HTTP,
        needs: WORKS,
        asks: "a document of tens of MiB is encoded, or refused as INVALID_REQUEST",
        help: "allocate what it takes, and check that you got it; at most 64 MiB come in and 16 MiB go out",
        run: |subject| {
            let request = samples::huge("huge");
            encodes_or_refuses(subject, &request, "encoding a document of tens of MiB")
        },
    },
    ContractCheck {
        id: "encode.nested",
        kind: HTTP,
        needs: WORKS,
        asks: "JSON nested 100000 deep is encoded, or refused as INVALID_REQUEST",
        help: "bound the depth that you read: a stack ends before the input does",
        run: |subject| encodes_or_refuses(subject, &samples::nested(), "encoding JSON nested 100000 deep"),
    },
    ContractCheck {
        id: "encode.unknown_op",
        kind: HTTP,
        needs: WORKS,
        asks: "an operation that it doesn't know is an error, and is not treated as another",
        help: "return INVALID_REQUEST for any `op` but LC_ENCODE and LC_DECODE (and LC_BATCH, with the capability `batch`)",
        run: unknown_op,
    },
    ContractCheck {
        id: "encode.repeatable",
        kind: HTTP,
        needs: WORKS,
        asks: "the same request becomes the same bytes, whatever was encoded before and by which instance",
        help: "no clock, no chance, no state, and maps in a fixed order: recorded calls are found by these bytes",
        run: repeatable,
    },
    ContractCheck {
        id: "encode.threads",
        kind: HTTP,
        needs: &["encode.repeatable"],
        asks: "several threads call one instance at once, and each gets its own answer",
        help: "keep nothing between calls, or guard it with a lock",
        run: threads,
    },
    ContractCheck {
        id: "encode.discreet",
        kind: HTTP,
        needs: WORKS,
        asks: "the document's text never goes to the log",
        help: "log what happened, never what was sent",
        run: |subject| {
            let opened = subject.open()?;
            encode(&opened, &samples::bytes(&samples::full("discreet")))?;
            opened.close();
            if subject.ledger().logged(CANARY) {
                broken("the document's text is in its log")
            } else {
                Ok("nothing of the document was logged".to_owned())
            }
        },
    },
    ContractCheck {
        id: "encode.memory",
        kind: HTTP,
        needs: WORKS,
        asks: "bytes that are handed over come with a `drop`, unless they are static",
        help: "set `drop` to a function that frees what you allocated",
        run: memory,
    },
    ContractCheck {
        id: "encode.borrowed",
        kind: HTTP,
        needs: WORKS,
        asks: "bytes that are lent to it are only read",
        help: "copy what you want to change: the host may keep its own bytes there, or bytes that can't be written to",
        run: |subject| {
            let opened = subject.open()?;
            encode(&opened, &samples::bytes(&samples::full("borrowed")))?;
            verdict::untouched(opened)
        },
    },
];

/// ENCODE of these bytes.
fn encode(opened: &ProbedInstance, request: &[u8]) -> Result<RawReply, String> {
    opened.call(LC_ENCODE, request).ok_or_else(|| "there is no `call`".to_owned())
}

/// The HTTP request, if the host would send it.
fn sendable(subject: &PluginUnderTest<'_>, answer: &RawReply, doing: &str) -> Result<HttpRequest, String> {
    let request: HttpRequest = verdict::payload(answer, "an HTTP request", doing)?;
    http_request::check(subject, &request).map_err(|problem| format!("while {doing}: {problem}"))?;
    Ok(request)
}

fn encodes(subject: &PluginUnderTest<'_>, request: &CompletionRequest, doing: &str) -> CheckResult {
    let opened = subject.open()?;
    let request = sendable(subject, &encode(&opened, &samples::bytes(request))?, doing)?;
    opened.close();
    Ok(format!("{} with a body of {} bytes", request.method, request.body.len()))
}

fn encodes_or_refuses(subject: &PluginUnderTest<'_>, request: &[u8], doing: &str) -> CheckResult {
    let opened = subject.open()?;
    let answer = encode(&opened, request)?;
    let found = if answer.status == LC_OK {
        sendable(subject, &answer, doing)?;
        "encoded".to_owned()
    } else {
        format!("refused: {}", verdict::failure_of(&answer, &[LC_INVALID_REQUEST], doing)?)
    };
    opened.close();
    Ok(found)
}

fn bad_json(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for (what, input) in samples::no_requests() {
        let answer = encode(&opened, &input)?;
        verdict::failure_of(&answer, &[LC_INVALID_REQUEST], &format!("encoding {what}"))?;
    }
    sendable(subject, &encode(&opened, &samples::bytes(&samples::minimal("after")))?, "encoding after that")?;
    opened.close();
    Ok("refused".to_owned())
}

fn unknown_op(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    let request = samples::bytes(&samples::minimal("op"));
    // With the capability it is an operation, which has checks of its own.
    let batch = (!subject.manifest().speaks_batch()).then_some(LC_BATCH);
    for op in [0, 4, 77, u32::MAX].into_iter().chain(batch) {
        let answer = opened.call(op, &request).ok_or_else(|| "there is no `call`".to_owned())?;
        verdict::failure(&answer, &format!("doing operation {op}"))?;
    }
    opened.close();
    Ok("refused".to_owned())
}

fn repeatable(subject: &PluginUnderTest<'_>) -> CheckResult {
    let requests =
        [samples::minimal("a"), samples::full("b"), samples::minimal("c")].map(|r| samples::bytes(&r));
    let of = |opened: &ProbedInstance, request: &[u8]| -> Result<Vec<u8>, String> {
        let answer = encode(opened, request)?;
        verdict::bytes(&answer, "encoding").map(<[u8]>::to_vec)
    };
    let opened = subject.open()?;
    let first = requests.iter().map(|request| of(&opened, request)).collect::<Result<Vec<_>, _>>()?;
    let times = subject.repeat(10, |_| {
        for (request, expected) in requests.iter().zip(&first).rev() {
            if of(&opened, request)? != *expected {
                return broken("the same request became other bytes the next time, in another order");
            }
        }
        Ok::<(), CheckFailure>(())
    })?;
    opened.close();
    let other = subject.open()?;
    for (request, expected) in requests.iter().zip(&first).rev() {
        if of(&other, request)? != *expected {
            return broken("the same request became other bytes with another instance");
        }
    }
    other.close();
    Ok(format!("the same bytes {} times", times.saturating_add(2)))
}

fn threads(subject: &PluginUnderTest<'_>) -> CheckResult {
    const THREADS: usize = 8;
    let opened = subject.open()?;
    let requests: Vec<Vec<u8>> =
        (0..THREADS).map(|n| samples::bytes(&samples::minimal(&format!("thread-{n}")))).collect();
    let mut expected = Vec::new();
    for request in &requests {
        expected.push(verdict::bytes(&encode(&opened, request)?, "encoding")?.to_vec());
    }
    let ends = subject.ends();
    let worker = |request: &[u8], expected: &[u8]| -> Result<(), String> {
        for turn in 0..50 {
            if turn > 1 && std::time::Instant::now() >= ends {
                break;
            }
            let answer = encode(&opened, request)?;
            if answer.status != LC_OK {
                verdict::failure(&answer, "encoding on several threads")?;
                return Err("a request that was encoded alone was refused beside others".to_owned());
            }
            if verdict::bytes(&answer, "encoding on several threads")? != expected {
                return Err("a request became other bytes beside others than alone".to_owned());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = requests
            .iter()
            .zip(&expected)
            .map(|(request, expected)| scope.spawn(|| worker(request, expected)))
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a thread was lost".to_owned())))
    })?;
    opened.close();
    Ok(format!("{THREADS} threads, 50 calls each"))
}

fn memory(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for request in [&samples::bytes(&samples::full("memory"))[..], b""] {
        let answers = (0..6).map(|_| encode(&opened, request)).collect::<Result<Vec<_>, _>>()?;
        verdict::freed(&answers)?;
    }
    opened.close();
    Ok("every buffer can be freed, or is static".to_owned())
}
