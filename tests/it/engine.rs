//! Invariants of every run: the decision table over random policies and trajectories, and the state machine's promises.

use super::harness::{Answer, Awaited, Compiled, Driver, NEVER, Step, course, fails, policy, q};
use super::loop_inventions::{criterion, policies, trajectories};
use super::loop_model::{Policy, Tried};
use loopctl::engine::{
    CallFailed, Consulted, Event, Input, Output, Produced, Recorded, ReplayError, Retry, Run, Work,
};
use loopctl::policy::{FinalStatus, StopReason, Verdict};
use loopctl::value::{Millis, Usage, Usd};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn driven(policy: &Policy, trajectory: &[Tried]) -> (Compiled, Driver) {
    let loaded = super::harness::compiled(&policy.yaml());
    let steps: Vec<Step> = trajectory.iter().map(Tried::step).collect();
    let driver = Driver::through_scripted(&loaded, &steps);
    (loaded, driver)
}

fn bases(driver: &Driver) -> Vec<usize> {
    let base = |work: &Work| if let Work::Correct { base, .. } = work { Some(*base) } else { None };
    driver.calls.iter().filter_map(|(_, work)| base(work)).collect()
}

/// A trajectory, and the answers that lead through it, with failed calls among them.
fn answers() -> impl Strategy<Value = (Vec<Tried>, Vec<Answer>)> {
    let failure = (prop::bool::weighted(0.9), prop::option::weighted(0.3, 0..=90_000_u64))
        .prop_map(|(transient, retry_after)| fails(transient, retry_after));
    trajectories().prop_flat_map(move |tried| {
        let failures = prop::collection::vec(prop::collection::vec(failure.clone(), 0..=1), tried.len());
        failures.prop_map(move |failures| {
            let gives = tried.iter().map(|one| Answer::Gives(one.step()));
            let answers =
                failures.into_iter().zip(gives).flat_map(|(failed, gives)| failed.into_iter().chain([gives]));
            (tried.clone(), answers.collect())
        })
    })
}

const RETRY: Retry = Retry { attempts: 2, pause: Millis(250) };

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn the_engine_does_what_loop_says(policy in policies(), trajectory in trajectories()) {
        let expected = policy.expected(&trajectory);
        let (_, driver) = driven(&policy, &trajectory);
        let outcome = driver.outcome.as_ref().unwrap();
        prop_assert_eq!(outcome.final_status.as_str(), expected.status);
        prop_assert_eq!(outcome.stop_reason.to_string(), expected.reason);
        prop_assert_eq!(outcome.iteration_count, expected.iteration_count);
        prop_assert_eq!(outcome.best_iteration, Some(expected.best_iteration));
        prop_assert_eq!(outcome.selection_reason.unwrap().to_string(), expected.selection_reason);
        prop_assert_eq!(outcome.rollbacks, expected.rollbacks);
        prop_assert_eq!(bases(&driver), expected.bases);
    }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn a_run_ends_within_its_limits(policy in policies(), trajectory in trajectories()) {
        let (_, driver) = driven(&policy, &trajectory);
        let outcome = driver.outcome.as_ref().unwrap();
        prop_assert!(policy.max_iterations.is_none_or(|most| outcome.iteration_count <= most));
        prop_assert!(policy.max_corrections.is_none_or(|most| outcome.iteration_count <= most + 1));
        let seen = &trajectory[..outcome.iteration_count];
        let (last, before) = seen.split_last().unwrap();
        let sum = |tried: &[Tried], of: fn(&Tried) -> u64| tried.iter().map(of).sum::<u64>();
        // No call is made once the time is over or the budget is spent.
        prop_assert!(policy.timeout.is_none_or(|most| sum(before, |t| t.takes) <= most));
        prop_assert!(policy.tokens.is_none_or(|most| sum(before, |t| t.tokens) < most));
        prop_assert!(policy.calls.is_none_or(|most| sum(before, |t| t.calls) < most));
        prop_assert!(policy.cents.is_none_or(|most| sum(before, |t| t.cents.into()) < most.into()));
        prop_assert_eq!(outcome.elapsed_ms, Millis(sum(seen, |t| t.takes)));
        prop_assert_eq!((outcome.usage.calls, outcome.usage.tokens), (sum(seen, |t| t.calls), sum(seen, |t| t.tokens)));
        let overalls: Vec<f64> = seen.iter().map(|tried| policy.overall(tried)).collect();
        for (said, meant) in outcome.improvement_trajectory.iter().zip(&overalls) {
            prop_assert!((said - meant).abs() < 1e-12, "{:?} {:?}", outcome.improvement_trajectory, overalls);
        }
        prop_assert_eq!(outcome.improvement_trajectory.len(), seen.len());

        // Never worse than the best seen, unless an accepted one was, or the policy asks for the last.
        let selected = outcome.best_iteration.unwrap();
        if outcome.stop_reason != StopReason::Accepted && !policy.return_last {
            prop_assert!(!seen.iter().any(|other| policy.ranks_below(&seen[selected], other)));
        }

        // Accepted exactly when every threshold holds, the gate is not missed, and no person must decide.
        let escalated = policy.stop_on_escalate && last.escalate > 0;
        prop_assert_eq!(outcome.final_status == FinalStatus::Passed, policy.accepts(last) && !escalated);
        prop_assert!(!before.iter().any(|tried| policy.accepts(tried)));
    }

    #[test]
    fn the_same_events_give_the_same_actions(policy in policies(), (_, answers) in answers()) {
        let Compiled { policy, scripts } = super::harness::compiled(&policy.yaml());
        let run = || {
            let mut driver = Driver::new(&policy, RETRY, answers.clone()).with(&scripts).watched();
            driver.finish();
            driver
        };
        let (one, other) = (run(), run());
        prop_assert_eq!(one.recorded, other.recorded);
        prop_assert_eq!(one.calls, other.calls);
        prop_assert_eq!(one.pauses, other.pauses);
        prop_assert_eq!(one.outcome, other.outcome);
        prop_assert_eq!(one.states, other.states);
    }

    #[test]
    fn stopping_in_any_state_hands_back_the_best_so_far(
        policy in policies(), (trajectory, answers) in answers(), inputs in 0..30_usize,
    ) {
        let loaded = super::harness::compiled(&policy.yaml());
        let mut driver = Driver::new(&loaded.policy, RETRY, answers).with(&loaded.scripts);
        for _ in 0..inputs {
            driver.advance();
        }
        if driver.run.is_over() {
            let stop = Input::Stop { in_flight: Usage::default() };
            prop_assert!(driver.run.handle(driver.now, stop).is_err());
            return Ok(());
        }
        let assessed = driver.run.document().assessed().count();
        driver.give(Input::Stop { in_flight: Usage::default() });
        let outcome = driver.outcome.clone().unwrap();
        prop_assert_eq!((outcome.final_status, outcome.stop_reason), (FinalStatus::Cancelled, StopReason::Cancelled));
        prop_assert_eq!(outcome.iteration_count, assessed);
        let expected = assessed.checked_sub(1).map(|last| {
            if policy.return_last { last } else { policy.best(&trajectory[..assessed]) }
        });
        prop_assert_eq!(outcome.best_iteration, expected);
        prop_assert!(driver.run.is_over() && !driver.advance());
    }
}

/// The record as it comes back from the journal.
fn through_json(recorded: &[Recorded]) -> Vec<Recorded> {
    let again = |one: &Recorded| {
        let text = serde_json::to_string(&one.event).unwrap();
        Recorded { at: one.at, event: serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}")) }
    };
    recorded.iter().map(again).collect()
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn every_prefix_of_the_journal_replays_to_the_same_state(policy in policies(), (_, answers) in answers()) {
        let Compiled { policy, scripts } = super::harness::compiled(&policy.yaml());
        let fresh = || Run::new(Arc::clone(&policy), RETRY).with_scripts(Arc::clone(&scripts));
        let mut driver = Driver::new(&policy, RETRY, answers).with(&scripts).watched();
        driver.finish();
        let record = through_json(&driver.recorded);
        prop_assert_eq!(&record, &driver.recorded);
        for (last, state) in driver.states.iter().enumerate() {
            let run = fresh().replay(&record[..=last]).unwrap();
            prop_assert_eq!(&format!("{run:?}"), state, "after {} events", last + 1);
        }
        if let Some(outcome) = driver.outcome {
            let mut run = fresh().replay(&record).unwrap();
            prop_assert_eq!(run.poll(), Some(Output::Finished(Box::new(outcome))));
            prop_assert_eq!(run.poll(), None);
        }
    }

    #[test]
    fn a_replayed_run_goes_on_as_the_first_would_have(
        policy in policies(), trajectory in trajectories(), cut in 0..60_usize,
    ) {
        let (loaded, whole) = driven(&policy, &trajectory);
        let cut = cut % whole.recorded.len();
        let run = Run::new(loaded.policy, NEVER).with_scripts(loaded.scripts);
        let mut run = run.replay(&whole.recorded[..cut]).unwrap();
        let mut recorded = whole.recorded[..cut].to_vec();
        // What the driver of the first run put in after the cut.
        let mut inputs = whole.recorded[cut..].iter().filter_map(|r| Some((r.at, r.event.as_input()?)));
        let mut now = recorded.last().map_or(Millis(0), |last| last.at);
        loop {
            while let Some(output) = run.poll() {
                if let Output::Record(event) = output {
                    recorded.push(Recorded { at: now, event });
                }
            }
            let Some((at, input)) = inputs.next() else { break };
            now = at;
            run.handle(now, input).unwrap();
        }
        prop_assert_eq!(recorded, whole.recorded);
    }
}

#[test]
fn a_record_of_another_policy_or_with_a_gap_is_refused() {
    let strict = policy("accept: { overall: 0.9 }");
    let driver = Driver::through(&policy("accept: { overall: 0.8 }"), &course(&[0.5, 0.85]));
    let error = Run::new(strict, NEVER).replay(&driver.recorded).unwrap_err();
    assert!(
        matches!(error, ReplayError::Diverged { recorded: "decided", replayed: "decided", .. }),
        "{error}"
    );
    let policy = policy("accept: { overall: 0.8 }");
    for gap in 0..driver.recorded.len() - 1 {
        let mut record = driver.recorded.clone();
        let lost = record.remove(gap).event;
        assert!(Run::new(Arc::clone(&policy), NEVER).replay(&record).is_err(), "without {lost:?}");
    }
    let mut twice = driver.recorded.clone();
    twice.push(twice.last().unwrap().clone());
    assert!(Run::new(policy, NEVER).replay(&twice).is_err());
}

fn every_input() -> Vec<Input> {
    let usage = Usage { calls: 3, ..Usage::default() };
    vec![
        Input::Started,
        Input::Unreadable { reason: "empty".to_owned() },
        Input::Produced(Produced { candidate: Arc::new(json!({})), usage, ..Produced::default() }),
        Input::Assessed(Arc::default()),
        Input::Consulted {
            member: 0,
            consulted: Consulted {
                answer: Arc::new(json!({})),
                usage,
                notes: Vec::new(),
                repairs: Vec::new(),
            },
        },
        Input::Unanswered { member: 0, failure: CallFailed::default() },
        Input::Failed(CallFailed {
            message: "no".to_owned(),
            transient: true,
            usage,
            ..CallFailed::default()
        }),
        Input::Woke,
        Input::Stop { in_flight: Usage::default() },
    ]
}

fn fits(input: &Input, awaited: &Awaited) -> bool {
    match input {
        Input::Started | Input::Unreadable { .. } => *awaited == Awaited::Start,
        Input::Produced(_) | Input::Failed(_) => *awaited == Awaited::Candidate,
        // Allowed only for the very first call.
        Input::Supplied(_) => *awaited == Awaited::Candidate,
        Input::Assessed(_) => *awaited == Awaited::Assessment,
        Input::Consulted { .. } | Input::Unanswered { .. } => *awaited == Awaited::Consultation,
        Input::Woke => matches!(awaited, Awaited::Wake(_)),
        Input::Stop { .. } => *awaited != Awaited::Nothing,
    }
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    let script = vec![
        Answer::Gives(q(0.5)),
        fails(true, None),
        fails(true, Some(7)),
        Answer::Gives(q(0.6).escalate()),
    ];
    let mut driver = Driver::new(&policy("on_escalate: stop"), RETRY, script);
    let mut seen = Vec::new();
    loop {
        for input in every_input().into_iter().filter(|input| !fits(input, &driver.awaited)) {
            let before = format!("{:?}", driver.run);
            let said = format!("{input:?}");
            let misuse = driver.run.handle(Millis(99_999), input).unwrap_err().to_string();
            assert_eq!(format!("{:?}", driver.run), before, "{said} while {:?}", driver.awaited);
            assert!(misuse.contains("can't take"), "{misuse}");
        }
        seen.push(driver.awaited.clone());
        if !driver.advance() {
            break;
        }
    }
    for state in [Awaited::Start, Awaited::Candidate, Awaited::Assessment, Awaited::Nothing] {
        assert!(seen.contains(&state), "{state:?} was not tried: {seen:?}");
    }
    assert_eq!(seen.iter().filter(|state| matches!(state, Awaited::Wake(_))).count(), 2);
    assert_eq!(driver.outcome.unwrap().stop_reason, StopReason::CriticalIssue);
}

#[test]
fn pauses_double_up_to_a_minute_and_give_way_to_what_the_provider_asks() {
    let retry = |attempts| Retry { attempts, pause: Millis(250) };
    let pauses = |retry: Retry, script: Vec<Answer>| {
        let mut driver = Driver::new(&policy(""), retry, script);
        driver.finish();
        let pauses: Vec<u64> = driver.pauses.iter().map(|pause| pause.0).collect();
        (pauses, driver)
    };
    let (waited, driver) = pauses(retry(10), (0..20).map(|_| fails(true, None)).collect());
    assert_eq!(waited, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    let outcome = driver.outcome.unwrap();
    assert_eq!((outcome.final_status, outcome.stop_reason), (FinalStatus::Failed, StopReason::ProviderError));
    assert_eq!((outcome.usage.calls, outcome.elapsed_ms), (11, Millis(waited.iter().sum())));
    assert_eq!((outcome.best_iteration, outcome.detail.as_deref()), (None, Some("it broke")));

    let (waited, driver) = pauses(retry(100), (0..101).map(|_| fails(true, None)).collect());
    assert_eq!((waited.len(), waited.last()), (100, Some(&60_000)));
    assert!(driver.run.is_over());

    let asked =
        vec![fails(true, Some(7)), fails(true, None), fails(true, Some(900_000)), fails(true, Some(0))];
    let (waited, driver) = pauses(retry(4), asked);
    assert_eq!(waited, [7, 500, 600_000, 0]);
    assert!(!driver.run.is_over());

    for (attempts, script) in [(0, vec![fails(true, None)]), (5, vec![fails(false, Some(5))])] {
        let (waited, driver) = pauses(retry(attempts), script);
        assert!(waited.is_empty() && driver.outcome.unwrap().stop_reason == StopReason::ProviderError);
    }
}

#[test]
fn no_attempt_is_made_past_the_timeout_or_the_budget() {
    let retry = Retry { attempts: 50, pause: Millis(250) };
    for (stop, calls, why) in [
        ("stop: { timeout: 1s }", 3, "the timeout"),
        ("stop: { budget: { calls: 4 } }", 4, "the budget of calls"),
        ("stop: { budget: { tokens: 30 } }", 3, "the budget of tokens"),
        ("stop: { budget: { cost_usd: 0.5 } }", 5, "the budget of money"),
    ] {
        let used = |answer| match answer {
            Answer::Fails(failure) => {
                Answer::Fails(CallFailed { usage: Usage::of_call(10, Usd::new(0.1)), ..failure })
            }
            gives => gives,
        };
        let script = (0..50).map(|_| used(fails(true, None))).collect();
        let mut driver = Driver::new(&policy(stop), retry, script);
        driver.finish();
        let outcome = driver.outcome.unwrap();
        assert_eq!((outcome.stop_reason, outcome.usage.calls), (StopReason::ProviderError, calls), "{stop}");
        assert!(outcome.detail.unwrap().ends_with(why));
    }
}

#[test]
fn a_call_that_is_given_up_counts_and_the_record_says_so() {
    let retry = Retry { attempts: 0, pause: Millis(1) };
    let mut driver = Driver::new(&policy(""), retry, vec![Answer::Gives(q(0.5).uses(0.25, 10, 1))]);
    while driver.calls.len() < 3 {
        driver.advance();
    }
    driver.give(Input::Stop { in_flight: Usage::of_call(0, None) });
    let outcome = driver.outcome.clone().unwrap();
    let expected =
        Usage { calls: 2, tokens: 10, known_cost_usd: Usd::new(0.25).unwrap(), calls_of_unknown_cost: 1 };
    assert_eq!((outcome.final_status, outcome.usage), (FinalStatus::Cancelled, expected));
    let record = through_json(&driver.recorded);
    Run::new(policy(""), retry).replay(&record).unwrap();
    // One that was recorded before such calls were counted.
    let old: Event = serde_json::from_value(json!({"event": "stopped"})).unwrap();
    assert_eq!(old, Event::Stopped { in_flight: Usage::default() });
}

#[test]
fn each_candidate_has_its_own_attempts_and_the_best_survives_a_failure() {
    let once = Retry { attempts: 1, pause: Millis(100) };
    let script = vec![
        fails(true, None),
        Answer::Gives(q(0.5)),
        fails(true, None),
        Answer::Gives(q(0.7)),
        fails(true, None),
        Answer::Gives(q(0.6)),
        fails(true, None),
        fails(true, None),
    ];
    let mut driver = Driver::new(&policy("on_regression: rollback"), once, script);
    driver.finish();
    assert_eq!(
        driver.summary(),
        "failed/provider_error after 3: 1 quality_peaked_at_iteration_1, 1 rollbacks"
    );
    assert_eq!(driver.pauses, [Millis(100); 4]);
    let attempts: Vec<Work> = driver
        .calls
        .into_iter()
        .map(|(_, work)| work)
        .filter(|w| !matches!(w, Work::Assess { .. }))
        .collect();
    let correct = |iteration, base, attempt| Work::Correct { iteration, base, stage: 0, attempt };
    assert_eq!(
        attempts,
        [
            Work::Generate { stage: 0, attempt: 0 },
            Work::Generate { stage: 0, attempt: 1 },
            correct(1, 0, 0),
            correct(1, 0, 1),
            correct(2, 1, 0),
            correct(2, 1, 1),
            correct(3, 1, 0),
            correct(3, 1, 1),
        ]
    );
}

#[test]
fn an_unreadable_document_ends_before_the_first_candidate() {
    let mut driver = Driver::new(&policy(""), RETRY, Vec::new());
    driver.give(Input::Unreadable { reason: "no text".to_owned() });
    assert_eq!(driver.summary(), "failed/unreadable_input after 0: none none, 0 rollbacks");
    assert_eq!(driver.outcome.unwrap().detail.as_deref(), Some("no text"));
    assert!(driver.calls.is_empty());
}

#[test]
fn an_event_is_handed_out_before_the_call_that_it_explains() {
    let mut run = Run::new(policy(""), RETRY);
    run.handle(Millis(0), Input::Started).unwrap();
    assert_eq!(run.poll(), Some(Output::Record(Event::Started)));
    assert_eq!(run.poll(), Some(Output::Record(Event::Called(Work::Generate { stage: 0, attempt: 0 }))));
    assert_eq!(run.poll(), Some(Output::Call(Work::Generate { stage: 0, attempt: 0 })));
    assert_eq!(run.poll(), None);
}

#[test]
fn a_decision_carries_the_numbers_it_used() {
    let policy = policy("stop: { max_iterations: 4, min_improvement: { delta: 0.05 } }");
    let driver = Driver::through(&policy, &course(&[0.50, 0.52]));
    let decision = driver.decisions().last().unwrap();
    let looked_at: Vec<(&str, bool, f64, f64)> =
        decision.checks.iter().map(|c| (c.line.as_str(), c.holds, c.value, c.bound)).collect();
    assert_eq!(decision.verdict, Verdict::Stop { reason: StopReason::Criterion("min_improvement") });
    assert_eq!(
        looked_at,
        [
            ("accept.overall", false, 0.52, 0.95),
            ("stop.max_iterations", false, 2.0, 4.0),
            ("stop.min_improvement", true, 0.52 - 0.50, 0.05),
        ]
    );
}

#[test]
fn the_random_trajectories_reach_every_line() {
    let mut runner = TestRunner::deterministic();
    let (policies, trajectories) = (policies(), trajectories());
    let mut reasons = BTreeMap::new();
    // What groups of several members say has no end.
    let mut named = BTreeSet::from(["critical_issue", "gate", "accepted", "several"].map(str::to_owned));
    for _ in 0..5_000 {
        named.insert(criterion().new_tree(&mut runner).unwrap().current().name());
        let policy = policies.new_tree(&mut runner).unwrap().current();
        let trajectory = trajectories.new_tree(&mut runner).unwrap().current();
        let reason = policy.expected(&trajectory).reason;
        let reason = if reason.contains('+') { "several".to_owned() } else { reason };
        *reasons.entry(reason).or_insert(0) += 1;
    }
    // It fails whenever it is called.
    named.remove("script:broken");
    assert_eq!(reasons.keys().cloned().collect::<BTreeSet<_>>(), named);
    assert!(reasons.values().all(|times| *times >= 10), "{reasons:?}");
}
