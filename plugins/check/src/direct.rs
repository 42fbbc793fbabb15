//! Plugins that make the completion themselves: exactly one answer for each accepted call, whatever happens.

use std::time::{Duration, Instant};

use loopctl_plugin_sdk::abi::{LC_CANCELLED, LC_INVALID_REQUEST};
use loopctl_plugin_sdk::protocol::PluginKind;

use super::check::{CheckFailure, CheckResult, ContractCheck, broken};
use super::samples::{self, CANARY};
use super::subject::PluginUnderTest;
use super::verdict::{self, PluginReply};
use crate::provider::plugin::{Call, ProbedInstance, RawReply, StartOutcome};

const DIRECT: Option<PluginKind> = Some(PluginKind::Direct);
const OPENS: &[&str] = &["open.opens"];
const ANSWERS: &[&str] = &["direct.answers"];
/// The time for which answers that are not owed are awaited.
const SETTLE: Duration = Duration::from_millis(100);

pub(super) static CHECKS: [ContractCheck; 15] = [
    ContractCheck {
        id: "direct.answers",
        kind: DIRECT,
        needs: OPENS,
        asks: "an accepted call is completed with `value` or `text`, or with an error that says why",
        help: "set `call` and call the host's `complete` with the call's id, from whatever thread",
        run: |subject| {
            let request = samples::bytes(&samples::full("answers"));
            Ok(alone(subject, &request, "answering a full request")?.describe())
        },
    },
    ContractCheck {
        id: "direct.once",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "an accepted call is completed exactly once, a refused one never, and no other id at all",
        help: "complete each id in one place, and not after `start` has returned an error",
        run: once,
    },
    ContractCheck {
        id: "direct.minimal",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "a request of one message, and one of defaults alone (`{}`), are answered or refused",
        help: "take the protocol's default for what is missing; refuse what can't be answered, and say why",
        run: |subject| {
            let one = alone(subject, &samples::bytes(&samples::minimal("minimal")), "answering one message")?;
            alone(subject, b"{}", "answering `{}`")?;
            Ok(one.describe())
        },
    },
    ContractCheck {
        id: "direct.future",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "fields that it doesn't know are ignored",
        help: "don't deny unknown fields: a later host may send more",
        run: |subject| {
            let plain = alone(subject, &samples::bytes(&samples::full("plain")), "answering a full request")?;
            let doing = "answering a request with unknown fields";
            match (plain, alone(subject, &samples::from_the_future("future"), doing)?) {
                (PluginReply::Done(_), PluginReply::Failed(status, error)) => broken(format!(
                    "with unknown fields it answered {}: {}",
                    verdict::name(status),
                    error.message
                )),
                (_, said) => Ok(said.describe()),
            }
        },
    },
    ContractCheck {
        id: "direct.bad_json",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "input that is not a request, empty input too, is INVALID_REQUEST, by `start` or by its completion",
        help: "return INVALID_REQUEST with `{\"message\": …}`, without quoting the input",
        run: bad_json,
    },
    ContractCheck {
        id: "direct.huge",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "a document of tens of MiB is answered or refused",
        help: "allocate what it takes, and check that you got it; copy what outlives `start`",
        run: |subject| {
            let request = samples::huge("huge");
            Ok(alone(subject, &request, "answering about a document of tens of MiB")?.describe())
        },
    },
    ContractCheck {
        id: "direct.nested",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "JSON nested 100000 deep is answered or refused",
        help: "bound the depth that you read: a stack ends before the input does",
        run: |subject| Ok(alone(subject, &samples::nested(), "answering JSON nested 100000 deep")?.describe()),
    },
    ContractCheck {
        id: "direct.concurrent",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "64 calls of one instance at once are each completed",
        help: "a thread or a task for each call, or a queue; no state between them without a lock",
        run: concurrent,
    },
    ContractCheck {
        id: "direct.instances",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "several instances answer at once",
        help: "keep an instance's state in the instance, not in statics",
        run: instances,
    },
    ContractCheck {
        id: "direct.cancel",
        kind: DIRECT,
        needs: OPENS,
        asks: "a call that is cancelled ends soon, and is still completed",
        help: "look for the cancellation wherever it waits, then complete with CANCELLED",
        run: cancel,
    },
    ContractCheck {
        id: "direct.released_early",
        kind: DIRECT,
        needs: &["direct.answers", "direct.cancel"],
        asks: "a call may be cancelled and released, and its instance closed, before it has ended; it is completed all the same",
        help: "let the running call hold what it uses: count references",
        run: released_early,
    },
    ContractCheck {
        id: "direct.close",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "an instance whose calls have all ended can be closed, and another opened",
        help: "free in `close` what `open` made",
        run: |subject| {
            let request = samples::bytes(&samples::full("close"));
            let times = subject
                .repeat(10, |_| alone(subject, &request, "answering after others were closed").map(|_| ()))?;
            Ok(format!("{times} times"))
        },
    },
    ContractCheck {
        id: "direct.discreet",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "the document's text never goes to the log",
        help: "log what happened, never what was sent",
        run: |subject| {
            alone(subject, &samples::bytes(&samples::full("discreet")), "answering a full request")?;
            if subject.ledger().logged(CANARY) {
                broken("the document's text is in its log")
            } else {
                Ok("nothing of the document was logged".to_owned())
            }
        },
    },
    ContractCheck {
        id: "direct.memory",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "bytes that are handed over come with a `drop`, unless they are static",
        help: "set `drop` to a function that frees what you allocated",
        run: memory,
    },
    ContractCheck {
        id: "direct.borrowed",
        kind: DIRECT,
        needs: ANSWERS,
        asks: "bytes that are lent to it are only read",
        help: "copy what you want to change: the host may keep its own bytes there, or bytes that can't be written to",
        run: |subject| {
            let (opened, doing) = (subject.open()?, "answering a full request");
            ask(subject, &opened, &samples::bytes(&samples::full("borrowed")), doing)?;
            verdict::untouched(opened)
        },
    },
];

/// A call that runs, or its refusal.
enum StartedCall {
    Call(u64, Call),
    Refused(RawReply),
}

fn start(
    subject: &PluginUnderTest<'_>,
    opened: &ProbedInstance,
    request: &[u8],
    doing: &str,
) -> Result<StartedCall, String> {
    let id = subject.ledger().issue();
    match opened.start(id, request).ok_or_else(|| "there is no `start`".to_owned())? {
        StartOutcome::Accepted(call) => Ok(StartedCall::Call(id, call)),
        StartOutcome::Nothing => Err(format!("`start` returned OK and set no `call` while {doing}")),
        StartOutcome::Refused(answer) => Ok(StartedCall::Refused(answer)),
    }
}

/// The answers that have come to a call, at least one; the call is released.
fn finish(subject: &PluginUnderTest<'_>, running: StartedCall, doing: &str) -> Result<Vec<RawReply>, String> {
    match running {
        StartedCall::Refused(answer) => Ok(vec![answer]),
        StartedCall::Call(id, call) => {
            if !subject.ledger().wait_for(&[id], subject.ends()).is_empty() {
                return Err(format!(
                    "an accepted call was not completed within {} s while {doing}",
                    subject.limit()
                ));
            }
            call.release();
            Ok(subject.ledger().take(id))
        }
    }
}

/// The plugin's reply to one request, of an instance of its own.
fn alone(subject: &PluginUnderTest<'_>, request: &[u8], doing: &str) -> Result<PluginReply, String> {
    let opened = subject.open()?;
    let said = ask(subject, &opened, request, doing)?;
    opened.close();
    Ok(said)
}

fn ask(
    subject: &PluginUnderTest<'_>,
    opened: &ProbedInstance,
    request: &[u8],
    doing: &str,
) -> Result<PluginReply, String> {
    let running = start(subject, opened, request, doing)?;
    let answers = finish(subject, running, doing)?;
    let first = answers.first().ok_or_else(|| "the answer was lost".to_owned())?;
    match verdict::said(first, doing)? {
        PluginReply::Failed(LC_CANCELLED, _) => {
            Err(format!("it answered CANCELLED while {doing}, and no one cancelled it"))
        }
        said => Ok(said),
    }
}

fn once(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    let (mut calls, mut refused) = (Vec::new(), 0);
    let bad = samples::no_requests().into_iter().map(|(_, request)| request);
    let good = (0..8).map(|n| samples::bytes(&samples::full(&format!("once-{n}"))));
    for request in good.chain(bad) {
        match start(subject, &opened, &request, "counting completions")? {
            StartedCall::Call(id, call) => calls.push((id, call)),
            StartedCall::Refused(_) => refused += 1,
        }
    }
    let ids: Vec<u64> = calls.iter().map(|(id, _)| *id).collect();
    let missing = subject.ledger().wait_for(&ids, subject.ends());
    if !missing.is_empty() {
        return broken(format!("{} of {} accepted calls were not completed", missing.len(), ids.len()));
    }
    for (_, call) in calls {
        call.release();
    }
    opened.close();
    std::thread::sleep(SETTLE);
    let twice = ids.iter().filter(|id| subject.ledger().take(**id).len() > 1).count();
    if twice > 0 {
        return broken(format!("{twice} of {} accepted calls were completed more than once", ids.len()));
    }
    let strays = subject.ledger().strays();
    if !strays.is_empty() {
        return broken(format!("it completed {} ids that no call had", strays.len()));
    }
    // Anything else that has come belongs to a call that was refused.
    let uncalled = (1..=subject.ledger().issue())
        .filter(|id| !ids.contains(id) && !subject.ledger().take(*id).is_empty())
        .count();
    if uncalled > 0 {
        return broken(format!("it completed {uncalled} calls that it had refused or completed before"));
    }
    Ok(format!("{} accepted calls completed once, {refused} refused ones never", ids.len()))
}

fn bad_json(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for (what, request) in samples::no_requests() {
        let doing = format!("answering {what}");
        let running = start(subject, &opened, &request, &doing)?;
        for answer in finish(subject, running, &doing)?.iter().take(1) {
            verdict::failure_of(answer, &[LC_INVALID_REQUEST], &doing)?;
        }
    }
    ask(subject, &opened, &samples::bytes(&samples::full("after")), "answering after that")?;
    opened.close();
    Ok("refused".to_owned())
}

fn concurrent(subject: &PluginUnderTest<'_>) -> CheckResult {
    const CALLS: usize = 64;
    let opened = subject.open()?;
    let requests: Vec<Vec<u8>> =
        (0..CALLS).map(|n| samples::bytes(&samples::full(&format!("beside-{n}")))).collect();
    let doing = "answering 64 calls at once";
    // Each from a thread of its own, and none before all of them are there: on a slow machine the first would have ended
    // before the last begins.
    let all_there = std::sync::Barrier::new(CALLS);
    let started = std::thread::scope(|scope| {
        let threads: Vec<_> = requests
            .iter()
            .map(|request| {
                let (ledger, opened, all_there) = (subject.ledger(), &opened, &all_there);
                scope.spawn(move || {
                    let id = ledger.issue();
                    all_there.wait();
                    (id, opened.start(id, request))
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
    });
    let mut calls = Vec::new();
    let mut refused = Vec::new();
    for (id, started) in started {
        match started {
            Some(StartOutcome::Accepted(call)) => calls.push((id, call)),
            Some(StartOutcome::Refused(answer)) => refused.push(answer),
            Some(StartOutcome::Nothing) => return broken("`start` returned OK and set no `call`"),
            None => return broken("there is no `start`"),
        }
    }
    let completed = completed(subject, calls, "accepted", doing)?;
    for answer in &refused {
        verdict::failure(answer, doing)?;
    }
    opened.close();
    Ok(format!("{completed} completed, {} refused", refused.len()))
}

/// Waits for the end of calls, which `kind` describes, and checks the first answer to each against the contract;
/// returns how many calls there were.
fn completed(
    subject: &PluginUnderTest<'_>,
    calls: Vec<(u64, Call)>,
    kind: &str,
    doing: &str,
) -> Result<usize, CheckFailure> {
    let ids: Vec<u64> = calls.iter().map(|(id, _)| *id).collect();
    let missing = subject.ledger().wait_for(&ids, subject.ends());
    if !missing.is_empty() {
        return broken(format!(
            "{} of {} {kind} calls were not completed within {} s",
            missing.len(),
            ids.len(),
            subject.limit()
        ));
    }
    for (id, call) in calls {
        call.release();
        for answer in subject.ledger().take(id).iter().take(1) {
            verdict::said(answer, doing)?;
        }
    }
    Ok(ids.len())
}

fn instances(subject: &PluginUnderTest<'_>) -> CheckResult {
    let mut open = Vec::new();
    let request = samples::bytes(&samples::full("instances"));
    let doing = "answering beside other instances";
    for _ in 0..4 {
        let opened = subject.open()?;
        let running = start(subject, &opened, &request, doing)?;
        open.push((opened, running));
    }
    for (opened, running) in open.into_iter().rev() {
        for answer in finish(subject, running, doing)?.iter().take(1) {
            verdict::said(answer, doing)?;
        }
        opened.close();
    }
    Ok("4 at once".to_owned())
}

fn cancel(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    let mut calls = Vec::new();
    for n in 0..8 {
        let request = samples::bytes(&samples::full(&format!("cancel-{n}")));
        // Cancelled before the next is begun, so as to come before it has ended.
        if let StartedCall::Call(id, call) = start(subject, &opened, &request, "being cancelled")? {
            call.cancel();
            calls.push((id, call));
        }
    }
    let completed = completed(subject, calls, "cancelled", "being cancelled")?;
    opened.close();
    // The number that were faster than their cancellation differs from time to time, and isn't reported.
    Ok(if completed == 0 { "it refuses every call" } else { "every cancelled call was completed" }.to_owned())
}

fn released_early(subject: &PluginUnderTest<'_>) -> CheckResult {
    let mut ids = Vec::new();
    for n in 0..8 {
        let opened = subject.open()?;
        let request = samples::bytes(&samples::full(&format!("released-{n}")));
        if let StartedCall::Call(id, call) = start(subject, &opened, &request, "being released early")? {
            call.cancel();
            call.release();
            ids.push(id);
        }
        opened.close();
    }
    let missing = subject.ledger().wait_for(&ids, subject.ends());
    if !missing.is_empty() {
        return broken(format!("{} of {} calls were not completed", missing.len(), ids.len()));
    }
    // A call that works on what was freed may take a moment to fall over it.
    std::thread::sleep(SETTLE.min(subject.ends().saturating_duration_since(Instant::now())));
    alone(subject, &samples::bytes(&samples::full("after")), "answering after that")?;
    Ok("completed".to_owned())
}

fn memory(subject: &PluginUnderTest<'_>) -> CheckResult {
    let opened = subject.open()?;
    for request in [&samples::bytes(&samples::full("memory"))[..], b""] {
        let mut answers = Vec::new();
        for _ in 0..6 {
            let running = start(subject, &opened, request, "handing over bytes")?;
            answers.extend(finish(subject, running, "handing over bytes")?.into_iter().take(1));
        }
        verdict::freed(&answers)?;
    }
    opened.close();
    Ok("every buffer can be freed, or is static".to_owned())
}
