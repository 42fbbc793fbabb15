//! DECODE: an HTTP response becomes a completion, or an error.

use loopctl_plugin_sdk::abi::{
    LC_DECODE, LC_INVALID_REQUEST, LC_RATE_LIMITED, LC_TRANSIENT, LC_UNAUTHORIZED, lc_status,
};
use loopctl_plugin_sdk::protocol::PluginKind;

use super::check::{CheckResult, ContractCheck, broken};
use super::subject::PluginUnderTest;
use super::verdict::PluginReply;
use super::{samples, verdict};
use crate::provider::plugin::{ProbedInstance, RawReply};

const HTTP: Option<PluginKind> = Some(PluginKind::Http);
const OPENS: &[&str] = &["open.opens"];

pub(super) static CHECKS: [ContractCheck; 11] = [
    ContractCheck {
        id: "decode.success",
        kind: HTTP,
        needs: OPENS,
        asks: "a response of status 200 that holds no answer is an error, never OK with neither `value` nor `text`",
        help: "say what was missing, with TRANSIENT if another try may help",
        run: success,
    },
    ContractCheck {
        id: "decode.unauthorized",
        kind: HTTP,
        needs: OPENS,
        asks: "status 401 is UNAUTHORIZED, whatever the body",
        help: "look at the status before the body",
        run: |subject| statuses(subject, &[401], &[LC_UNAUTHORIZED]),
    },
    ContractCheck {
        id: "decode.rate_limited",
        kind: HTTP,
        needs: OPENS,
        asks: "status 429 is RATE_LIMITED, whatever the body",
        help: "look at the status before the body; put `retry-after` into `retry_after_ms`",
        run: |subject| statuses(subject, &[429], &[LC_RATE_LIMITED]),
    },
    ContractCheck {
        id: "decode.server_error",
        kind: HTTP,
        needs: OPENS,
        asks: "a status from 500 up is TRANSIENT, whatever the body",
        help: "look at the status before the body: a gateway answers in HTML",
        run: |subject| statuses(subject, &[500, 503, 529], &[LC_TRANSIENT]),
    },
    ContractCheck {
        id: "decode.client_error",
        kind: HTTP,
        needs: OPENS,
        asks: "any other status of failure is an error, and 400 and 404 are none that is tried again",
        help: "return INVALID_REQUEST or PERMANENT: the same request would fail again",
        run: client_error,
    },
    ContractCheck {
        id: "decode.huge",
        kind: HTTP,
        needs: OPENS,
        asks: "a body as large as the host lets in (15 MiB) is decoded or refused",
        help: "allocate what it takes, and check that you got it",
        run: huge,
    },
    ContractCheck {
        id: "decode.bad_json",
        kind: HTTP,
        needs: OPENS,
        asks: "input that is not an HTTP response, empty input too, is an error that says so",
        help: "return INVALID_REQUEST with `{\"message\": …}` in `out`",
        run: bad_json,
    },
    ContractCheck {
        id: "decode.future",
        kind: HTTP,
        needs: OPENS,
        asks: "fields of the response that it doesn't know are ignored",
        help: "don't deny unknown fields: a later host may send more",
        run: |subject| {
            let opened = subject.open()?;
            let input = br#"{"status": 401, "headers": {}, "body": "", "from_the_future": {"deeply": [1]}}"#;
            let doing = "decoding a response with unknown fields";
            verdict::failure_of(&decode(&opened, input)?, &[LC_UNAUTHORIZED], doing)?;
            opened.close();
            Ok("ignored".to_owned())
        },
    },
    ContractCheck {
        id: "decode.repeatable",
        kind: HTTP,
        needs: OPENS,
        asks: "the same response is decoded to the same bytes, on several threads at once too",
        help: "no clock, no chance, no state",
        run: repeatable,
    },
    ContractCheck {
        id: "decode.memory",
        kind: HTTP,
        needs: OPENS,
        asks: "bytes that are handed over come with a `drop`, unless they are static",
        help: "set `drop` to a function that frees what you allocated",
        run: |subject| {
            let opened = subject.open()?;
            for status in [200, 500] {
                let response = samples::response(status, "{}");
                let answers = (0..6).map(|_| decode(&opened, &response)).collect::<Result<Vec<_>, _>>()?;
                verdict::freed(&answers)?;
            }
            opened.close();
            Ok("every buffer can be freed, or is static".to_owned())
        },
    },
    ContractCheck {
        id: "decode.borrowed",
        kind: HTTP,
        needs: OPENS,
        asks: "bytes that are lent to it are only read",
        help: "copy what you want to change: the host may keep its own bytes there, or bytes that can't be written to",
        run: |subject| {
            let opened = subject.open()?;
            for status in [200, 500] {
                decode(&opened, &samples::response(status, "{}"))?;
            }
            verdict::untouched(opened)
        },
    },
];

/// DECODE of these bytes.
fn decode(opened: &ProbedInstance, response: &[u8]) -> Result<RawReply, String> {
    opened.call(LC_DECODE, response).ok_or_else(|| "there is no `call`".to_owned())
}

fn success(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    let mut answers = 0;
    let bodies = samples::no_bodies();
    for (what, body) in &bodies {
        let answer = decode(&opened, &samples::response(200, body))?;
        if let PluginReply::Done(_) = verdict::said(&answer, &format!("decoding status 200 with {what}"))? {
            // An API may well answer in plain text.
            answers += 1;
        }
    }
    opened.close();
    Ok(format!("{} errors, {answers} treated as answers", bodies.len().saturating_sub(answers)))
}

/// Each of these HTTP statuses must be one of these failures.
fn statuses(subject: &PluginUnderTest<'_>, http: &[u16], expected: &[lc_status]) -> CheckResult {
    let opened = subject.open()?;
    for status in http {
        for (what, body) in samples::no_bodies() {
            let answer = decode(&opened, &samples::response(*status, &body))?;
            verdict::failure_of(&answer, expected, &format!("decoding status {status} with {what}"))?;
        }
    }
    opened.close();
    Ok(expected.iter().map(|status| verdict::name(*status)).collect::<Vec<_>>().join(" or "))
}

fn client_error(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for status in [400_u16, 404, 408] {
        for (what, body) in samples::no_bodies() {
            let doing = format!("decoding status {status} with {what}");
            let answer = decode(&opened, &samples::response(status, &body))?;
            let (failure, _) = verdict::failure(&answer, &doing)?;
            if status != 408 && [LC_TRANSIENT, LC_RATE_LIMITED].contains(&failure) {
                return broken(format!(
                    "it answered {} while {doing}, so that the same would be asked again",
                    verdict::name(failure)
                ));
            }
        }
    }
    opened.close();
    Ok("errors that are not tried again".to_owned())
}

fn huge(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for status in [200, 500] {
        let answer = decode(&opened, &samples::huge_response(status))?;
        let doing = format!("decoding status {status} with a body of 15 MiB");
        verdict::said(&answer, &doing)?;
    }
    opened.close();
    Ok("decoded or refused".to_owned())
}

fn bad_json(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for (what, input) in samples::no_requests() {
        let answer = decode(&opened, &input)?;
        verdict::failure_of(&answer, &[LC_INVALID_REQUEST], &format!("decoding {what}"))?;
    }
    opened.close();
    Ok("refused".to_owned())
}

fn repeatable(subject: &PluginUnderTest<'_>) -> CheckResult {
    const THREADS: usize = 8;
    let opened = subject.open()?;
    let responses: Vec<Vec<u8>> = [200, 401, 429, 500]
        .into_iter()
        .flat_map(|status| {
            samples::no_bodies().into_iter().map(move |(_, body)| samples::response(status, &body))
        })
        .collect();
    let of = |response: &[u8]| -> Result<(lc_status, Vec<u8>), String> {
        let answer = decode(&opened, response)?;
        Ok((answer.status, verdict::bytes(&answer, "decoding")?.to_vec()))
    };
    let first = responses.iter().map(|response| of(response)).collect::<Result<Vec<_>, _>>()?;
    let ends = subject.ends();
    let worker = || -> Result<(), String> {
        for (response, expected) in responses.iter().zip(&first).rev() {
            if std::time::Instant::now() >= ends {
                break;
            }
            if of(response)? != *expected {
                return Err("the same response was decoded to something else the next time".to_owned());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a thread was lost".to_owned())))
    })?;
    opened.close();
    Ok(format!("{} responses on {THREADS} threads", responses.len()))
}
