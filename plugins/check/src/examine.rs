//! The parent: checks what needs no plugin code itself, and has a child process check each group of the rest.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use loopctl_plugin_sdk::protocol::PluginKind;
use serde_json::Value;

use super::check::{ContractCheck, GROUPS, KnownOutcomes};
use super::manifest;
use super::part::{self, Note, outcome_of};
use super::report::{CheckFinding, CheckOutcome, ConformanceReport};
use super::subject::PluginUnderTest;
use crate::provider::error::sanitize_message;
use crate::provider::inspect::PluginFile;
use crate::provider::{ProviderError, Providers};

/// A child that has not noted anything for as long as one check may take, and this, hangs.
const GRACE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(5);

/// One plugin to be checked.
#[derive(Debug)]
pub struct Conformance<'a> {
    /// The source of the lock file, which says whether the plugin may run.
    pub providers: &'a Providers,
    /// The library.
    pub path: &'a Path,
    /// The configuration of instances: an object. An empty one is replaced by the first of the `examples` of the
    /// manifest's `config_schema`.
    pub config: &'a Value,
    /// The time that one check may take before the plugin counts as hanging.
    pub limit: Duration,
}

/// The task of a child process.
#[derive(Debug)]
pub struct ChildTask<'a> {
    /// The checks, by id.
    pub checks: &'a [&'static str],
    /// The file that it notes them in.
    pub notes: &'a Path,
}

impl Conformance<'_> {
    /// Runs every check that is about plugins of this kind. `child` makes the command that calls
    /// [`Conformance::run_part`] in another process.
    ///
    /// # Errors
    /// When the plugin may not run, or no child can be started.
    pub fn run(
        &self,
        child: &dyn Fn(&ChildTask<'_>) -> std::io::Result<Command>,
    ) -> Result<ConformanceReport, ProviderError> {
        let file = match PluginFile::read(self.path) {
            Ok(file) => file,
            Err(error) => return self.unreadable(error),
        };
        self.providers.may_run(&file)?;
        let subject = PluginUnderTest::new(&file, self.config, self.limit);
        let mut findings = CheckFindings::default();
        for group in &GROUPS {
            let checks: Vec<&ContractCheck> =
                group.checks.iter().filter(|check| check.is_for(&file.manifest)).collect();
            if group.runs_code {
                self.run_in_children(checks, child, &mut findings)?;
                continue;
            }
            for check in checks {
                let (outcome, found) = match check.unmet(&findings.known) {
                    Some(why) => (CheckOutcome::Skipped, why),
                    None => outcome_of((check.run)(&subject)),
                };
                findings.add(check, outcome, &found);
            }
        }
        Ok(ConformanceReport {
            path: file.path,
            sha256: Some(file.digest),
            manifest: Some(file.manifest),
            findings: findings.list,
        })
    }

    /// The child's part: runs these checks in this process, which the plugin may end.
    ///
    /// # Errors
    /// When the plugin can't be read any more or may not run, or the notes can't be written.
    pub fn run_part(&self, checks: &[String], notes: &Path) -> Result<(), ProviderError> {
        let file = PluginFile::read(self.path)?;
        self.providers.may_run(&file)?;
        part::run(&PluginUnderTest::new(&file, self.config, self.limit), checks, notes)
    }

    /// Reports a file that is not a plugin: it fails at one of the first two checks, and the others aren't
    /// run.
    fn unreadable(&self, error: ProviderError) -> Result<ConformanceReport, ProviderError> {
        let failed = match &error {
            ProviderError::NotAPlugin { .. } | ProviderError::BadManifest { .. } => manifest::READABLE,
            ProviderError::AbiMismatch { .. } => manifest::ABI,
            _ => return Err(error),
        };
        let mut findings = CheckFindings::default();
        for check in GROUPS.iter().flat_map(|group| group.checks).filter(|check| check.kind.is_none()) {
            if check.id == failed {
                findings.add(check, CheckOutcome::Failed, &error.to_string());
            } else if let Some(why) = check.unmet(&findings.known) {
                findings.add(check, CheckOutcome::Skipped, &why);
            } else {
                findings.add(check, CheckOutcome::Passed, "it holds one");
            }
        }
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.to_owned());
        Ok(ConformanceReport { path, sha256: None, manifest: None, findings: findings.list })
    }

    /// Runs these checks in a child process, and continues in another after each that failed or that it died in.
    fn run_in_children(
        &self,
        mut checks: Vec<&'static ContractCheck>,
        child: &dyn Fn(&ChildTask<'_>) -> std::io::Result<Command>,
        findings: &mut CheckFindings,
    ) -> Result<(), ProviderError> {
        loop {
            // Left out here if what they rest on is known to have failed; among themselves the child sees to it.
            let mut ids: Vec<&'static str> = Vec::new();
            checks.retain(|check| match check.unmet_but_for(&findings.known, &ids) {
                Some(why) => {
                    findings.add(check, CheckOutcome::Skipped, &why);
                    false
                }
                None => {
                    ids.push(check.id);
                    true
                }
            });
            if checks.is_empty() {
                return Ok(());
            }
            let (notes, end) = self.watch(&ids, child)?;
            let before = checks.len();
            let mut begun = None;
            for note in notes {
                match note {
                    Note::Begun(id) => begun = Some(id),
                    Note::Ended { id, outcome, found } => {
                        begun = None;
                        if let Some(at) = checks.iter().position(|check| check.id == id) {
                            findings.add(checks.remove(at), outcome, &found);
                        }
                    }
                }
            }
            let at = begun.and_then(|id| checks.iter().position(|check| check.id == id));
            let got_on = checks.len() < before;
            match (at, end) {
                (None, ChildEnd::Well) if checks.is_empty() => return Ok(()),
                (None, ChildEnd::Well) if got_on => {}
                // It died when all was done.
                (None, end) if checks.is_empty() => {
                    if let Some(last) = ids.last() {
                        findings.fail(last, &end.after(last));
                    }
                    return Ok(());
                }
                (at, end) => {
                    let check = checks.remove(at.unwrap_or(0));
                    findings.add(check, CheckOutcome::Failed, &end.during(check.id, self.limit));
                }
            }
        }
    }

    /// Runs one child to its end, or ends it when it hangs.
    fn watch(
        &self,
        ids: &[&'static str],
        child: &dyn Fn(&ChildTask<'_>) -> std::io::Result<Command>,
    ) -> Result<(Vec<Note>, ChildEnd), ProviderError> {
        let folder = tempfile::tempdir().map_err(|error| self.cannot(&error))?;
        let notes = folder.path().join("notes.jsonl");
        let said = folder.path().join("stderr.txt");
        let stderr = std::fs::File::create(&said).map_err(|error| self.cannot(&error))?;
        let mut command =
            child(&ChildTask { checks: ids, notes: &notes }).map_err(|error| self.cannot(&error))?;
        // A plugin may write to standard output, which is for the report alone.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        // What a process that dies leaves behind is removed with the folder: the copy of the library that it loads,
        // say.
        command.env("TMPDIR", folder.path());
        let mut child = ChildGuard(command.spawn().map_err(|error| self.cannot(&error))?);
        let patience = self.limit.saturating_add(GRACE);
        let (mut noted, mut since) = (0, Instant::now());
        let end = loop {
            match child.0.try_wait() {
                Ok(Some(status)) if status.success() => break ChildEnd::Well,
                Ok(Some(status)) => break ChildEnd::Died { how: died(status), said: last_line(&said) },
                Ok(None) => {}
                Err(error) => return Err(self.cannot(&error)),
            }
            let size = std::fs::metadata(&notes).map_or(0, |metadata| metadata.len());
            if size != noted {
                (noted, since) = (size, Instant::now());
            } else if since.elapsed() > patience {
                drop(child);
                break ChildEnd::Hung;
            }
            std::thread::sleep(LOOK);
        };
        Ok((part::read(&notes), end))
    }

    fn cannot(&self, error: &std::io::Error) -> ProviderError {
        ProviderError::Load {
            path: self.path.to_owned(),
            problem: format!("the process that is to check it can't be started: {error}"),
        }
    }
}

impl ContractCheck {
    /// As [`ContractCheck::unmet`], where `others` are still to be run before it.
    fn unmet_but_for(&self, known: &KnownOutcomes, others: &[&str]) -> Option<String> {
        let mut with = known.clone();
        with.extend(others.iter().map(|id| ((*id).to_owned(), CheckOutcome::Passed)));
        self.unmet(&with)
    }
}

/// A child that doesn't outlive its parent's wait for it.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // Fails when it has ended already, which is well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The end of a child.
enum ChildEnd {
    Well,
    Died { how: String, said: Option<String> },
    Hung,
}

impl ChildEnd {
    fn during(&self, check: &str, limit: Duration) -> String {
        match self {
            Self::Well => format!("the plugin ended the process during `{check}`"),
            Self::Hung => {
                format!(
                    "the plugin hung during `{check}`: it did not return within {} s",
                    limit.as_secs_f64()
                )
            }
            Self::Died { how, said } => with(format!("the plugin {how} during `{check}`"), said.as_deref()),
        }
    }

    fn after(&self, check: &str) -> String {
        match self {
            Self::Well => format!("the plugin ended the process after `{check}`"),
            Self::Hung => format!("the plugin kept the process from ending after `{check}`"),
            Self::Died { how, said } => {
                with(format!("the plugin {how} when the process ended, after `{check}`"), said.as_deref())
            }
        }
    }
}

fn with(text: String, said: Option<&str>) -> String {
    said.map_or(text.clone(), |said| format!("{text}; the last it said: {said}"))
}

#[cfg(unix)]
fn died(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("crashed (signal {signal}{})", signal_name(signal)),
        None => format!("ended the process ({status})"),
    }
}

/// Those that mean a crash, by the numbers that all systems share.
#[cfg(unix)]
fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => ", illegal instruction",
        6 => ", abort",
        8 => ", arithmetic",
        9 => ", killed",
        11 => ", segmentation fault",
        _ => "",
    }
}

#[cfg(not(unix))]
fn died(status: ExitStatus) -> String {
    format!("ended the process ({status})")
}

/// The last line of a file, sanitized; `None` when there is nothing in it.
fn last_line(path: &Path) -> Option<String> {
    use std::io::{Read, Seek, SeekFrom};
    const TAIL: u64 = 2048;
    let mut file = crate::disk::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).ok()?;
    let text = String::from_utf8_lossy(&tail).into_owned();
    text.lines().rev().map(sanitize_message).find(|line| !line.is_empty())
}

#[derive(Default)]
struct CheckFindings {
    list: Vec<CheckFinding>,
    known: KnownOutcomes,
}

impl CheckFindings {
    fn add(&mut self, check: &'static ContractCheck, outcome: CheckOutcome, found: &str) {
        self.known.insert(check.id.to_owned(), outcome);
        self.list.push(CheckFinding {
            id: check.id,
            outcome,
            asks: check.asks,
            found: sanitize_message(found),
            help: (outcome == CheckOutcome::Failed).then_some(check.help),
        });
        self.list.sort_by_key(|finding| place(finding.id));
    }

    /// Fails a check that was thought to have passed.
    fn fail(&mut self, id: &'static str, found: &str) {
        if let Some(at) = self.list.iter().position(|finding| finding.id == id)
            && let Some(check) = ContractCheck::of(id)
        {
            self.list.remove(at);
            self.add(check, CheckOutcome::Failed, found);
        }
    }
}

/// The position of a check among all.
fn place(id: &str) -> usize {
    GROUPS.iter().flat_map(|group| group.checks).take_while(|check| check.id != id).count()
}

/// The kind of a plugin, as spelled in the manifest.
#[must_use]
pub fn kind_name(kind: PluginKind) -> &'static str {
    match kind {
        PluginKind::Http => "http",
        PluginKind::Direct => "direct",
    }
}
