//! A server that speaks chat completions and counts: what a model would answer to the first, second and third request about
//! a document.

use super::LoadFailure;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The longest wait before something else is checked.
const MOMENT: Duration = Duration::from_millis(5);

/// The calls that were answered.
#[derive(Debug, Default, Clone)]
pub(super) struct Answered {
    pub(super) calls: u64,
    /// Bytes of the bodies.
    pub(super) bytes: u64,
    /// Calls that were answered for a document and candidate that had been answered before.
    pub(super) twice: u64,
    /// By document and candidate.
    pub(super) by_call: HashMap<(String, u32), u32>,
    /// The time at which the first call came.
    first: Option<Instant>,
}

pub(super) struct Server {
    address: SocketAddr,
    answered: Arc<(Mutex<Answered>, Condvar)>,
}

impl Server {
    /// Answers each call after `delay`.
    pub(super) fn start(delay: Duration) -> Result<Self, LoadFailure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let answered: Arc<(Mutex<Answered>, Condvar)> = Arc::default();
        let counted = Arc::clone(&answered);
        std::thread::spawn(move || {
            runtime.block_on(async {
                while let Ok((stream, _)) = listener.accept().await {
                    let counted = Arc::clone(&counted);
                    tokio::spawn(async move {
                        let _ = serve(stream, delay, &counted).await;
                    });
                }
            });
        });
        Ok(Server { address, answered })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes what was answered since the last call of this.
    pub(super) fn take(&self) -> Answered {
        std::mem::take(&mut self.answered.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits a moment for so many calls. Returns whether they have come, and how many have.
    pub(super) fn reached(&self, calls: u64) -> (bool, u64) {
        let (answered, told) = &*self.answered;
        let answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = match told.wait_timeout_while(answered, MOMENT, |answered| answered.calls < calls) {
            Ok((answered, _)) => answered,
            Err(poisoned) => poisoned.into_inner().0,
        };
        (answered.calls >= calls, answered.calls)
    }

    /// Waits until so many calls have come; returns when the first did.
    pub(super) fn wait_for_calls(&self, calls: u64) -> Instant {
        let (answered, told) = &*self.answered;
        let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
        while answered.calls < calls {
            answered = told.wait(answered).unwrap_or_else(PoisonError::into_inner);
        }
        answered.first.unwrap_or_else(Instant::now)
    }
}

async fn serve(
    mut stream: TcpStream,
    delay: Duration,
    answered: &(Mutex<Answered>, Condvar),
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(16 << 10);
    loop {
        let Some(body) = read_request(&mut stream, &mut buffer).await? else { return Ok(()) };
        let (document, candidate) = asked(&body);
        let content = answer(candidate);
        let reply = json!({
            // The members that OpenAI's answers have.
            "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "object": "chat.completion", "created": 1_741_569_952,
            "model": "stub",
            "choices": [{ "index": 0, "finish_reason": "stop", "logprobs": null,
                          "message": { "role": "assistant", "content": content, "refusal": null, "annotations": [] } }],
            "usage": { "prompt_tokens": 700, "completion_tokens": 200, "total_tokens": 900,
                       "prompt_tokens_details": { "cached_tokens": 0, "audio_tokens": 0 },
                       "completion_tokens_details": { "reasoning_tokens": 0, "audio_tokens": 0,
                           "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0 } },
            "service_tier": "default", "system_fingerprint": "fp_06737a9306",
        })
        .to_string();
        let now = Instant::now();
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            reply.len()
        );
        {
            let mut counted = answered.0.lock().unwrap_or_else(PoisonError::into_inner);
            counted.calls += 1;
            counted.bytes += u64::try_from(reply.len()).unwrap_or_default();
            counted.first.get_or_insert(now);
            let times = counted.by_call.entry((document, candidate)).or_default();
            *times += 1;
            if *times > 1 {
                counted.twice += 1;
            }
            answered.1.notify_all();
        }
        stream.write_all(format!("{head}{reply}").as_bytes()).await?;
    }
}

/// The body of the next request; `None` when the other side is done.
async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<String>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(buffer.get(..end).unwrap_or_default()).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .and_then(|length| length.trim().parse::<usize>().ok())
                .unwrap_or_default();
            let whole = end + 4 + length;
            while buffer.len() < whole {
                if stream.read_buf(buffer).await? == 0 {
                    return Ok(None);
                }
            }
            let body = String::from_utf8_lossy(buffer.get(end + 4..whole).unwrap_or_default()).into_owned();
            buffer.drain(..whole);
            return Ok(Some(body));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

/// The document that a request is about, and the number of its candidate: texts of both loops have them.
fn asked(body: &str) -> (String, u32) {
    let after = |mark: &str| body.split_once(mark).map(|(_, rest)| rest);
    let document = after("Report number: ")
        .map(|rest| rest.chars().take_while(char::is_ascii_alphanumeric).collect())
        .unwrap_or_default();
    let candidate = after("Correction ")
        .and_then(|rest| rest.chars().next())
        .and_then(|digit| digit.to_digit(10))
        .unwrap_or_default();
    (document, candidate)
}

/// The first two candidates lack something.
fn answer(candidate: u32) -> String {
    let mut value = json!({
        "histology": "Invasive ductal carcinoma of the breast, no special type, with extensive lymphovascular invasion",
        "grade": "3",
        "margins": "negative, closest margin 2 mm (posterior)",
        "stage": "pT2 pN1a",
        "markers": { "er": "positive", "pr": "positive", "her2": "negative", "ki67": "25 %" },
        "comment": "The tumor measures 2.4 cm in its greatest dimension. One of fourteen lymph nodes contains a metastasis of 4 mm without extranodal extension.",
    });
    if let Value::Object(members) = &mut value {
        if candidate == 0 {
            members.shift_remove("margins");
        }
        if candidate < 2 {
            members.insert("grade".to_owned(), json!("high"));
        }
    }
    value.to_string()
}
