//! `kill -9` at random moments, again and again: nothing is lost, nothing that was finished is paid twice, and the
//! results are those of an uninterrupted run.

use super::LoadFailure;
use super::project::LoadProject;
use super::server::Server;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The number of documents in a batch, and the most of them in flight at once.
const DOCUMENTS: usize = 100;
const JOBS: usize = 8;

/// The findings. Fails when something was lost, paid twice without a cause, damaged, or had another result.
pub(super) fn run(loopctl: &Path, kills: usize) -> Result<String, LoadFailure> {
    let expected = uninterrupted(loopctl)?;
    let (mut done, mut batches, mut calls, mut twice) = (0, 0, 0, 0);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    while done < kills {
        let project = LoadProject::new(loopctl.to_path_buf(), DOCUMENTS)?;
        let server = Server::start(Duration::from_millis(5))?;
        let mut process = project.run(server.address(), JOBS).spawn()?;
        let mut in_this = 0;
        let status = loop {
            // Most are killed while they work, some before they begin to.
            let (_, calls) = server.reached(0);
            let target = if random.below(8) == 0 { calls } else { calls + 1 + random.below(60) };
            let ended = loop {
                let (reached, _) = server.reached(target);
                if let Some(status) = process.try_wait()? {
                    break Some(status);
                }
                if reached {
                    break None;
                }
            };
            if let Some(status) = ended {
                break status;
            }
            if done >= kills {
                break process.wait()?;
            }
            process.kill()?;
            process.wait()?;
            done += 1;
            in_this += 1;
            // A run that was killed before it had begun is run once more.
            let begun = project.path("journal.sqlite").exists()
                && project.journal().is_ok_and(|journal| journal.runs().is_ok_and(|runs| !runs.is_empty()));
            process = if begun {
                project.resume(server.address(), JOBS).spawn()?
            } else {
                project.run(server.address(), JOBS).spawn()?
            };
        };
        batches += 1;
        let answered = server.take();
        calls += answered.calls;
        twice += answered.twice;
        let most = u64::try_from(in_this * JOBS).unwrap_or(u64::MAX);
        if answered.twice > most {
            return Err(
                format!("{} calls were made twice; {in_this} kills excuse {most}", answered.twice).into()
            );
        }
        if !status.success() && in_this == 0 {
            return Err(format!("the run ended with {status}").into());
        }
        let found = results(&project)?;
        if found.len() != DOCUMENTS {
            let missing = missing(&project)?;
            return Err(format!("{} of {DOCUMENTS} documents are there; {missing}", found.len()).into());
        }
        for (id, result) in &found {
            if expected.get(id) != Some(result) {
                return Err(format!("`{id}` differs:\n  {:?}\n  {result:?}", expected.get(id)).into());
            }
        }
        project.journal()?.check()?;
    }
    Ok(format!(
        "{done} kills in {batches} batches of {DOCUMENTS} documents, {JOBS} at once: nothing lost, no journal damaged, the results of a run that no one killed\n  {calls} calls, {twice} of them repeated because they were in flight"
    ))
}

fn uninterrupted(loopctl: &Path) -> Result<BTreeMap<String, Value>, LoadFailure> {
    let project = LoadProject::new(loopctl.to_path_buf(), DOCUMENTS)?;
    let server = Server::start(Duration::ZERO)?;
    let status = project.run(server.address(), JOBS).status()?;
    if !status.success() {
        return Err(format!("the run ended with {status}").into());
    }
    results(&project)
}

/// The result of each document, but for times and for remarks about calls that were in flight.
fn results(project: &LoadProject) -> Result<BTreeMap<String, Value>, LoadFailure> {
    let journal = project.journal()?;
    let mut found = BTreeMap::new();
    let run = journal.runs()?.pop().ok_or("there is no run")?;
    journal.each_document(&run.id, |document, outcome| {
        let Some(Value::Object(mut outcome)) = outcome else { return };
        for member in ["elapsed_ms", "warnings"] {
            outcome.shift_remove(member);
        }
        found.insert(document.record.id.to_string(), Value::Object(outcome));
    })?;
    Ok(found)
}

/// A description of the documents without a result.
fn missing(project: &LoadProject) -> Result<String, LoadFailure> {
    let journal = project.journal()?;
    let run = journal.runs()?.pop().ok_or("there is no run")?;
    let mut said = format!("{} of them are known", run.documents);
    journal.each_document(&run.id, |document, outcome| {
        if outcome.is_none() {
            let (id, stage, reason) = (&document.record.id, document.stage.as_str(), &document.reason);
            said.push_str(&format!("\n  `{id}` is {stage} after {} attempts: {reason:?}", document.attempts));
        }
    })?;
    Ok(said)
}

/// Marsaglia's xorshift: moments of killing, the same in every run of this.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
