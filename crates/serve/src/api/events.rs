//! Events, as they happen: server-sent, read from the journal, so that a client that returns with `Last-Event-ID`
//! misses none.

use super::error::{ApiError, ErrorAnswer};
use super::job::JobStatus;
use super::jobs::{find, is_being_read};
use crate::access::{Identity, Reviewer, Submitter};
use crate::blocking::on_blocking_thread;
use crate::ingest::ReadingProgress;
use crate::state::Service;
use crate::store::RunId;
use crate::value::sanitize_line;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

/// Events that are read at once.
const AT_ONCE: u32 = 256;

/// The interval between reads: other processes write to the journal, too, without notice.
const LOOK: Duration = Duration::from_secs(1);

type Events = Sse<axum::response::sse::KeepAliveStream<ReceiverStream<Result<Event, Infallible>>>>;

/// Events of a job
///
/// Server-sent events from the first on, or from the one after `Last-Event-ID`: `event` is the kind, `data` the event
/// as the journal has it. `reading`, without an id, says that the file is read, which may take a while. `resumed` says that the document was resumed, and that the events after the first `keeps`
/// don't count. After `ended`, whose data is the job's status, nothing more comes.
#[utoipa::path(
    get, path = "/api/jobs/{job}/events", operation_id = "follow_job", tag = "jobs",
    params(
        ("job" = String, Path, description = "Its id"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen"),
    ),
    responses((status = 200, description = "Events, until the job is over or the service stops", content_type = "text/event-stream", body = String), (status = 429, description = "This token's name has 16 streams open", body = ErrorAnswer), (status = 404, description = "There is no such job", body = ErrorAnswer))
)]
pub(super) async fn of_job(
    Submitter(identity): Submitter,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Events, ApiError> {
    let after = last_seen(&headers)?;
    let share = service.shares.stream(&identity)?;
    let (looked_in, who, of) = (Arc::clone(&service), identity.clone(), id.clone());
    on_blocking_thread(move || find(&looked_in, &who, &of).map(drop)).await?;
    let (told, events) = channel(64);
    tokio::spawn(async move {
        follow_job(service, identity, id, after, told).await;
        drop(share);
    });
    Ok(stream(events))
}

/// Events of the documents of a run
///
/// Server-sent events from now on, or from the one after `Last-Event-ID`: `event` is the kind, `data` names the
/// document. They do not contain what was extracted.
#[utoipa::path(
    get, path = "/api/runs/{run}/events", operation_id = "follow_run", tag = "runs",
    params(
        ("run" = String, Path, description = "Its id"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen"),
    ),
    responses((status = 200, description = "Events, until the service stops", content_type = "text/event-stream", body = String), (status = 429, description = "This token's name has 16 streams open", body = ErrorAnswer), (status = 404, description = "There is no such run", body = ErrorAnswer))
)]
pub(super) async fn of_run(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Events, ApiError> {
    let after = last_seen(&headers)?;
    let share = service.shares.stream(&identity)?;
    let (looked_in, run) = (Arc::clone(&service), RunId::new(id.as_str()));
    let begins = on_blocking_thread(move || {
        if looked_in.reading.run(&run)?.is_none() {
            let message = format!("there is no run `{}`", sanitize_line(run.as_str()));
            return Err(ApiError::not_found(message));
        }
        Ok(match after {
            Some(after) => after,
            None => looked_in.reading.latest_event()?,
        })
    })
    .await?;
    let (told, events) = channel(64);
    tokio::spawn(async move {
        follow_run(service, RunId::new(id), begins, told).await;
        drop(share);
    });
    Ok(stream(events))
}

fn stream(events: tokio::sync::mpsc::Receiver<Result<Event, Infallible>>) -> Events {
    Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::default())
}

fn last_seen(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let seen = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    let expected = || {
        ApiError::bad_request("`Last-Event-ID` is not an id of an event")
            .help("send the `id` of the last event that you saw")
    };
    seen.map(Some).ok_or_else(expected)
}

/// Waits until there may be more to read; `false` when the client has left, or the service stops.
async fn more(
    feed: &mut tokio::sync::watch::Receiver<u64>,
    stopping: &mut tokio::sync::watch::Receiver<bool>,
    told: &Sender<Result<Event, Infallible>>,
) -> bool {
    tokio::select! {
        () = told.closed() => return false,
        _ = stopping.wait_for(|stop| *stop) => return false,
        _ = feed.changed() => {}
        () = tokio::time::sleep(LOOK) => {}
    }
    // Much is written at a time, and read together.
    tokio::time::sleep(Duration::from_millis(25)).await;
    true
}

async fn follow_job(
    service: Arc<Service>,
    identity: Identity,
    id: String,
    mut after: Option<u64>,
    told: Sender<Result<Event, Infallible>>,
) {
    let (mut feed, mut stopping) = (service.feed.subscribe(), service.jobs.stopping());
    let mut told_reading = None;
    loop {
        feed.mark_unchanged();
        let (looked_in, who, of) = (Arc::clone(&service), identity.clone(), id.clone());
        let read = on_blocking_thread(move || {
            // The job is read before its events: the one that ends it is among them then.
            let job = find(&looked_in, &who, &of)?;
            let events = looked_in.reading.events_after(job.document, after, AT_ONCE)?;
            let is_read = after.is_none() && events.is_empty() && is_being_read(&looked_in, &job)?;
            let reading = is_read.then(|| looked_in.jobs.reading_page(&job.run, &job.document_id));
            Ok::<_, ApiError>((job, events, reading))
        })
        .await;
        let Ok((job, events, reading)) = read else { return };
        if let Some(page) = reading.filter(|_| reading != told_reading) {
            told_reading = reading;
            let document = job.document_id.as_str();
            let data = match page {
                Some(ReadingProgress { page, pages }) => {
                    json!({ "document": document, "page": page, "pages": pages })
                }
                None => json!({ "document": document }),
            };
            if told.send(Ok(Event::default().event("reading").data(data.to_string()))).await.is_err() {
                return;
            }
        }
        let is_all = events.len() < usize::try_from(AT_ONCE).unwrap_or(usize::MAX);
        for stored in events {
            after = Some(stored.seq);
            let data = json!({ "seq": stored.seq, "at_ms": stored.at.0, "event": stored.payload });
            let event = Event::default().id(stored.seq.to_string()).event(stored.kind).data(data.to_string());
            if told.send(Ok(event)).await.is_err() {
                return;
            }
        }
        let status = JobStatus::of(&job);
        if is_all && status.is_over() {
            let data = json!({ "status": status, "reason": job.reason });
            let _ = told.send(Ok(Event::default().event("ended").data(data.to_string()))).await;
            return;
        }
        if is_all && !more(&mut feed, &mut stopping, &told).await {
            return;
        }
    }
}

async fn follow_run(
    service: Arc<Service>,
    run: RunId,
    mut after: u64,
    told: Sender<Result<Event, Infallible>>,
) {
    let (mut feed, mut stopping) = (service.feed.subscribe(), service.jobs.stopping());
    loop {
        feed.mark_unchanged();
        let (looked_in, of) = (Arc::clone(&service), run.clone());
        let read = on_blocking_thread(move || looked_in.reading.run_events_after(&of, after, AT_ONCE)).await;
        let Ok(events) = read else { return };
        let is_all = events.len() < usize::try_from(AT_ONCE).unwrap_or(usize::MAX);
        for (number, document, kind) in events {
            after = number;
            let data = json!({ "document": document.as_str(), "kind": kind }).to_string();
            if told.send(Ok(Event::default().id(number.to_string()).event(kind).data(data))).await.is_err() {
                return;
            }
        }
        if is_all && !more(&mut feed, &mut stopping, &told).await {
            return;
        }
    }
}
