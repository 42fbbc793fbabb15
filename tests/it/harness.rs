//! Drives `engine::Run` in virtual time with scripted answers, and keeps all that it hands out.

use super::loop_inventions::SCRIPT;
use loopctl::diag::Problems;
use loopctl::engine::{CallFailed, Event, Input, Outcome, Output, Produced, Recorded, Retry, Run, Work};
use loopctl::policy::{Decision, ScriptCriteria};
use loopctl::profile::{Library, LoopPolicy, Profile, load};
use loopctl::score::{Assessment, Issue};
use loopctl::value::shape::Shape;
use loopctl::value::{Disposition, Millis, Score, Severity, Usage, Usd};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// More outputs or inputs than this, and the loop does not settle.
const MOST_STEPS: usize = 10_000;

/// The base of every policy of these tests; an extract of a profile is laid over it.
const BASE: &str = "
assess: { q: given, a: given, b: given, c: given }
overall: { from: q }
accept: { overall: 0.95 }
stop: { max_iterations: 50 }
";

/// The keys of `stop` in the order in which they are checked, without the groups.
pub(crate) fn stop_keys() -> Vec<&'static str> {
    let stop = Profile::mapping().all_keys().find(|key| key.name == "stop").unwrap();
    let Shape::Mapping(stop) = stop.shape() else { panic!("`stop` is no mapping") };
    stop.all_keys().map(|key| key.name).filter(|key| !["any", "all"].contains(key)).collect()
}

/// A policy and the scripts of its criteria.
pub(crate) struct Compiled {
    pub(crate) policy: Arc<LoopPolicy>,
    pub(crate) scripts: Arc<ScriptCriteria>,
}

/// The policy of a profile that says `extract` and is otherwise [`BASE`].
pub(crate) fn policy(extract: &str) -> Arc<LoopPolicy> {
    compiled(extract).policy
}

/// Like [`policy`], with its scripts: the functions of [`SCRIPT`] in `rules/tried.rhai`.
pub(crate) fn compiled(extract: &str) -> Compiled {
    let (compiled, problems) = tried(extract, SCRIPT);
    compiled.filter(|_| !problems.has_errors()).unwrap_or_else(|| panic!("{extract}\n{problems:?}"))
}

/// Like [`compiled`], with another script, and the problems found.
pub(crate) fn tried(extract: &str, script: &str) -> (Option<Compiled>, Problems) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("base.yaml"), BASE).unwrap();
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    std::fs::write(folder.path().join("rules/tried.rhai"), script).unwrap();
    let file = folder.path().join("tried.yaml");
    std::fs::write(&file, format!("extends: ./base.yaml\n{extract}\n")).unwrap();
    let mut problems = Problems::new();
    let loaded = load(file.to_str().unwrap(), &Library::embedded(), &[], &|_| None, &mut problems);
    let compiled = loaded.map(|loaded| {
        let scripts = ScriptCriteria::compile(&loaded.profile.policy.stop, &loaded.library, &mut problems);
        Compiled { policy: Arc::new(loaded.profile.policy), scripts: Arc::new(scripts) }
    });
    (compiled, problems)
}

/// One candidate: what it is, what it scores, what it costs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Step {
    pub(crate) assessment: Assessment,
    /// `None` for one that no other candidate equals.
    pub(crate) candidate: Option<Value>,
    pub(crate) takes: u64,
    pub(crate) usage: Usage,
}

/// A candidate with this overall score (the dimension `q`).
pub(crate) fn q(score: f64) -> Step {
    Step::default().score("q", score)
}

/// Candidates with these overall scores.
pub(crate) fn course(overalls: &[f64]) -> Vec<Step> {
    overalls.iter().map(|overall| q(*overall)).collect()
}

impl Step {
    pub(crate) fn score(mut self, name: &str, score: f64) -> Self {
        self.assessment.scores.set(&Arc::from(name), Score::new(score).unwrap());
        self
    }

    pub(crate) fn issue(mut self, severity: Severity, disposition: Disposition) -> Self {
        let found = json!({"code": "FOUND", "severity": severity, "disposition": disposition, "path": "/x"});
        self.assessment.issues.push(serde_json::from_value::<Issue>(found).unwrap());
        self
    }

    pub(crate) fn critical(self) -> Self {
        self.issue(Severity::Critical, Disposition::Correct)
    }

    pub(crate) fn escalate(self) -> Self {
        self.issue(Severity::Major, Disposition::Escalate)
    }

    pub(crate) fn is(mut self, candidate: Value) -> Self {
        self.candidate = Some(candidate);
        self
    }

    pub(crate) fn takes(mut self, millis: u64) -> Self {
        self.takes = millis;
        self
    }

    pub(crate) fn uses(mut self, cost: f64, tokens: u64, calls: u64) -> Self {
        self.usage =
            Usage { known_cost_usd: Usd::new(cost).unwrap(), tokens, calls, calls_of_unknown_cost: 0 };
        self
    }
}

/// The outcome of one call for a candidate.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a test has a handful of them")]
pub(crate) enum Answer {
    Gives(Step),
    Fails(CallFailed),
}

/// A call that failed; `transient` ones are worth another attempt.
pub(crate) fn fails(transient: bool, retry_after: Option<u64>) -> Answer {
    let usage = Usage { calls: 1, ..Usage::default() };
    let retry_after = retry_after.map(Millis);
    Answer::Fails(CallFailed {
        message: "it broke".to_owned(),
        transient,
        retry_after,
        usage,
        ..CallFailed::default()
    })
}

/// The input that the run waits for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Awaited {
    Start,
    Candidate,
    Assessment,
    Consultation,
    Wake(Millis),
    Nothing,
}

/// A run with its driver. Everything that the run handed out is kept.
pub(crate) struct Driver {
    pub(crate) run: Run,
    pub(crate) now: Millis,
    pub(crate) awaited: Awaited,
    pub(crate) recorded: Vec<Recorded>,
    /// The run's whole state after each recorded event was handed out.
    pub(crate) states: Vec<String>,
    pub(crate) calls: Vec<(Millis, Work)>,
    pub(crate) pauses: Vec<Millis>,
    pub(crate) outcome: Option<Outcome>,
    policy: Arc<LoopPolicy>,
    script: VecDeque<Answer>,
    pending: Assessment,
    produced: usize,
    /// `true` if `states` are kept, which costs time.
    watched: bool,
}

impl Driver {
    pub(crate) fn new(policy: &Arc<LoopPolicy>, retry: Retry, script: Vec<Answer>) -> Self {
        Driver {
            run: Run::new(Arc::clone(policy), retry),
            now: Millis(0),
            awaited: Awaited::Start,
            recorded: Vec::new(),
            states: Vec::new(),
            calls: Vec::new(),
            pauses: Vec::new(),
            outcome: None,
            policy: Arc::clone(policy),
            script: script.into(),
            pending: Assessment::default(),
            produced: 0,
            watched: false,
        }
    }

    /// A run whose calls all succeed, driven until it is over or the steps are used up.
    pub(crate) fn through(policy: &Arc<LoopPolicy>, steps: &[Step]) -> Self {
        let script = steps.iter().cloned().map(Answer::Gives).collect();
        let mut driver = Self::new(policy, NEVER, script);
        driver.finish();
        driver
    }

    /// Like [`Driver::through`], for a policy with script criteria.
    pub(crate) fn through_scripted(compiled: &Compiled, steps: &[Step]) -> Self {
        let script = steps.iter().cloned().map(Answer::Gives).collect();
        let mut driver = Self::new(&compiled.policy, NEVER, script).with(&compiled.scripts);
        driver.finish();
        driver
    }

    pub(crate) fn with(self, scripts: &Arc<ScriptCriteria>) -> Self {
        Driver { run: self.run.with_scripts(Arc::clone(scripts)), ..self }
    }

    pub(crate) fn watched(mut self) -> Self {
        self.watched = true;
        self
    }

    /// Continues until the run is over or the script is used up.
    pub(crate) fn finish(&mut self) {
        for _ in 0..MOST_STEPS {
            if !self.advance() {
                return;
            }
        }
        panic!("the run does not end within {MOST_STEPS} inputs");
    }

    /// Gives the run what it waits for; `false` when it is over or the script is used up.
    pub(crate) fn advance(&mut self) -> bool {
        let input = match self.awaited {
            // Policies alone have no judges.
            Awaited::Nothing | Awaited::Consultation => return false,
            Awaited::Start => Input::Started,
            Awaited::Assessment => Input::Assessed(Arc::new(std::mem::take(&mut self.pending))),
            Awaited::Wake(at) => {
                assert!(at >= self.now, "woken in the past");
                self.now = at;
                Input::Woke
            }
            Awaited::Candidate => match self.script.pop_front() {
                None => return false,
                Some(Answer::Fails(failure)) => Input::Failed(failure),
                Some(Answer::Gives(step)) => {
                    self.now = self.now.saturating_add(Millis(step.takes));
                    self.pending = step.assessment;
                    self.pending.weigh(&self.policy.overall);
                    let own = json!({"number": self.produced, "of": "its own"});
                    self.produced += 1;
                    let candidate = Arc::new(step.candidate.unwrap_or(own));
                    Input::Produced(Produced { candidate, usage: step.usage, ..Produced::default() })
                }
            },
        };
        self.give(input);
        true
    }

    pub(crate) fn give(&mut self, input: Input) {
        self.run.handle(self.now, input).unwrap();
        self.awaited = Awaited::Nothing;
        for _ in 0..MOST_STEPS {
            match self.run.poll() {
                None => return,
                Some(Output::Record(event)) => {
                    self.recorded.push(Recorded { at: self.now, event });
                    if self.watched {
                        self.states.push(format!("{:?}", self.run));
                    }
                }
                Some(Output::Call(work)) => {
                    self.expect_nothing();
                    self.awaited = match work {
                        Work::Assess { .. } => Awaited::Assessment,
                        Work::Consult { .. } => Awaited::Consultation,
                        Work::Generate { .. } | Work::Correct { .. } => Awaited::Candidate,
                    };
                    self.calls.push((self.now, work));
                }
                Some(Output::Wake { at, .. }) => {
                    self.expect_nothing();
                    self.pauses.push(at - self.now);
                    self.awaited = Awaited::Wake(at);
                }
                Some(Output::Finished(outcome)) => {
                    self.expect_nothing();
                    assert!(self.outcome.replace(*outcome).is_none(), "finished twice");
                }
            }
        }
        panic!("the run hands out more than {MOST_STEPS} outputs");
    }

    fn expect_nothing(&self) {
        assert_eq!(self.awaited, Awaited::Nothing, "asked for two things at once");
    }

    pub(crate) fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.recorded.iter().filter_map(|recorded| match &recorded.event {
            Event::Decided(decision) => Some(decision.as_ref()),
            _ => None,
        })
    }

    /// Says in one line how it ended, or from where it would continue.
    pub(crate) fn summary(&self) -> String {
        match &self.outcome {
            None => format!("goes on from {}", self.run.history().base()),
            Some(outcome) => format!(
                "{}/{} after {}: {} {}, {} rollbacks",
                outcome.final_status,
                outcome.stop_reason,
                outcome.iteration_count,
                outcome.best_iteration.map_or("none".to_owned(), |best| best.to_string()),
                outcome.selection_reason.map_or("none".to_owned(), |reason| reason.to_string()),
                outcome.rollbacks,
            ),
        }
    }
}

/// No second attempt.
pub(crate) const NEVER: Retry = Retry { attempts: 0, pause: Millis(0) };
