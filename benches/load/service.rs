//! Many clients submit documents to the service at once, which is killed meanwhile: none is lost, none is done twice, and events keep their
//! order.

use super::LoadFailure;
use super::project::LoadProject;
use super::server::Server;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Documents of the profile at the same time.
const JOBS: usize = 8;

/// The address and token of the service, and how often it was started.
#[derive(Clone)]
struct Door {
    starts: usize,
    address: SocketAddr,
    token: String,
}

/// The state that clients share: where the service is at the moment.
struct Doors {
    latest: Mutex<Option<Door>>,
    opened: Condvar,
}

impl Doors {
    fn open(&self, door: Door) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(door);
        self.opened.notify_all();
    }

    /// A door that was opened after the one that was found closed.
    fn after(&self, starts: usize) -> Door {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*latest {
                Some(door) if door.starts > starts => return door.clone(),
                _ => latest = self.opened.wait(latest).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Submits `documents` by `clients` at once and kills the service `kills` times. Returns the findings; fails when
/// something was lost, done twice, or out of order.
pub(super) fn run(
    loopctl: &Path,
    documents: usize,
    clients: usize,
    kills: usize,
) -> Result<String, LoadFailure> {
    let project = LoadProject::new(loopctl.to_path_buf(), documents)?;
    let model = Server::start(Duration::from_millis(2))?;
    let doors = Doors { latest: Mutex::new(None), opened: Condvar::new() };
    let began = Instant::now();
    let (mut process, door) = start(&project, &model, 1)?;
    doors.open(door);
    let (submitted, process) = std::thread::scope(|scope| {
        let (doors, project) = (&doors, &project);
        let of_client = |client: usize| (client..documents).step_by(clients);
        let at_work: Vec<_> = (0..clients)
            .map(|client| {
                scope.spawn(move || {
                    let submitted: Result<Vec<String>, String> =
                        of_client(client).map(|number| submit(doors, project, number)).collect();
                    submitted.map_err(|error| format!("client {client}: {error}"))
                })
            })
            .collect();
        for kill in 1..=kills {
            // Two calls for a document: the kills come while they are submitted and worked on.
            let calls = u64::try_from(documents * 2 * kill / (kills + 1)).unwrap_or(u64::MAX);
            while !model.reached(calls).0 {}
            process.kill()?;
            process.wait()?;
            let (next, door) = start(project, &model, kill + 1)?;
            process = next;
            doors.open(door);
        }
        let joined =
            at_work.into_iter().map(|client| client.join().map_err(|_| "a client panicked".to_owned())?);
        let submitted: Result<Vec<Vec<String>>, String> = joined.collect();
        Ok::<_, LoadFailure>((submitted?, process))
    })?;
    let taken = began.elapsed();
    let ids: BTreeSet<String> = submitted.into_iter().flatten().collect();
    if ids.len() != documents {
        return Err(format!("{documents} documents are {} jobs", ids.len()).into());
    }
    let door = doors.after(0);
    for id in &ids {
        finished(&door, id)?;
    }
    let elapsed = began.elapsed();
    stop(process)?;
    let answered = model.take();
    let excused = u64::try_from(kills * JOBS).unwrap_or(u64::MAX);
    if answered.twice > excused {
        return Err(
            format!("{} calls were made twice; {kills} kills excuse {excused}", answered.twice).into()
        );
    }
    check(&project, documents)?;
    Ok(format!(
        "{documents} documents by {clients} clients at once, {kills} kills: none lost, none done twice, events in order\n  all taken after {:.1} s, all done after {:.1} s; {} calls, {} of them repeated because they were in flight",
        taken.as_secs_f64(),
        elapsed.as_secs_f64(),
        answered.calls,
        answered.twice
    ))
}

fn start(project: &LoadProject, model: &Server, starts: usize) -> Result<(Child, Door), LoadFailure> {
    let mut process = project.serve(model.address(), JOBS).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(process.stderr.take().ok_or("no standard error")?).lines();
    let link = lines.by_ref().find_map(|line| {
        let line = line.ok()?;
        Some(line.split_once("open http://")?.1.to_owned())
    });
    let link = link.ok_or("the service did not start")?;
    let (address, token) = link.split_once("/login#token=").ok_or("no token")?;
    let door = Door { starts, address: address.parse()?, token: token.to_owned() };
    std::thread::spawn(move || lines.for_each(drop));
    Ok((process, door))
}

fn stop(mut process: Child) -> Result<(), LoadFailure> {
    process.kill()?;
    process.wait()?;
    Ok(())
}

/// Submits a document until the service has said that it has it.
fn submit(doors: &Doors, project: &LoadProject, number: usize) -> Result<String, String> {
    let text = std::fs::read_to_string(project.document(number)).map_err(|error| error.to_string())?;
    let body = json!({"text": text, "file_name": format!("report-{number:06}.txt")}).to_string();
    let mut door = doors.after(0);
    loop {
        let head = format!(
            "Idempotency-Key: {number}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        match ask(&door, "POST /api/jobs", &head, &body) {
            Some((200 | 202, answer)) => {
                let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
                return answer
                    .get("id")
                    .and_then(Value::as_str)
                    .map(str::to_owned)
                    .ok_or_else(|| "no id".to_owned());
            }
            // It was killed, whether it had taken the document or not.
            None => door = doors.after(door.starts),
            Some((status, answer)) => return Err(format!("{status}: {answer}")),
        }
    }
}

/// Waits until a job is over, by its events.
fn finished(door: &Door, id: &str) -> Result<(), LoadFailure> {
    let (status, events) = ask(door, &format!("GET /api/jobs/{id}/events"), "", "").ok_or("no answer")?;
    if status != 200 || !events.contains("\"status\":\"finished\"") {
        return Err(format!("`{id}`: {status} {events}").into());
    }
    Ok(())
}

/// Status and body; `None` when the connection ends before there is an answer.
fn ask(door: &Door, line: &str, head: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(door.address).ok()?;
    let (address, token) = (door.address, &door.token);
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n{head}\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut whole = String::new();
    stream.read_to_string(&mut whole).ok()?;
    let (head, body) = whole.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    // An answer that is cut off is none.
    let is_whole = length.is_none_or(|length| length.parse() == Ok(body.len()));
    is_whole.then(|| (status, body.to_owned()))
}

/// Checks the journal: each document once, passed, with its events one after the other.
fn check(project: &LoadProject, documents: usize) -> Result<(), LoadFailure> {
    let journal = project.service_journal()?;
    let runs = journal.runs()?;
    let [run] = runs.as_slice() else { return Err(format!("{} runs", runs.len()).into()) };
    let stored = journal.documents(&run.id)?;
    if stored.len() != documents {
        return Err(format!("{} documents in the journal", stored.len()).into());
    }
    for document in stored {
        let events = journal.events_after(document.key, None, u32::MAX)?;
        if events.iter().zip(0..).any(|(event, at)| event.seq != at) {
            return Err(format!("events of `{}` are out of order", document.record.id).into());
        }
        let ends = events.iter().filter(|event| event.kind == "finished").count();
        let outcome = journal.outcome(&run.id, &document.record.id)?.unwrap_or_default();
        if ends != 1 || outcome.get("final_status") != Some(&json!("passed")) {
            return Err(format!(
                "`{}` ended {ends} times: {}",
                document.record.id,
                outcome.get("final_status").unwrap_or(&Value::Null)
            )
            .into());
        }
    }
    journal.check()?;
    Ok(())
}
