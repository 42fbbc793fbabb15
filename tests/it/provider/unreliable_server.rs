//! A server over loopback that is slow, busy, broken or gone, as a test tells it to be.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use super::bed::PLENTY;
use crate::loopback;

/// The reaction of the server to a request.
#[derive(Clone)]
pub(super) enum Act {
    /// Answers, or begins to, and closes.
    Say(String),
    /// Like [`Act::Say`], when the other side of the channel says so.
    SayWhenTold(String, Arc<Mutex<mpsc::Receiver<()>>>),
    /// Says nothing until the other side closes.
    Hang,
}

/// An event that the server noticed.
#[derive(Debug, PartialEq)]
pub(super) enum Seen {
    Request(String),
    /// The other side closed before it was answered.
    Closed,
}

pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) seen: mpsc::Receiver<Seen>,
    /// Most requests at the same time.
    pub(super) most: Arc<AtomicUsize>,
}

impl Server {
    /// Does one act for each request; the last one for all that follow.
    pub(super) fn new(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, seen) = mpsc::channel();
        let most = Arc::new(AtomicUsize::new(0));
        let busy = Arc::new(AtomicUsize::new(0));
        let peak = Arc::clone(&most);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(stream) = stream else { return };
                let act = acts.get(number).or(acts.last()).unwrap().clone();
                let (sender, busy, peak) = (sender.clone(), Arc::clone(&busy), Arc::clone(&peak));
                std::thread::spawn(move || {
                    let Some(request) = loopback::read(&stream) else { return };
                    peak.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let _ = sender.send(Seen::Request(request));
                    let end = answer(stream, act, &sender);
                    busy.fetch_sub(1, Ordering::SeqCst);
                    drop(end);
                });
            }
        });
        Self { address, seen, most }
    }

    pub(super) fn saying(text: String) -> Self {
        Self::new(vec![Act::Say(text)])
    }

    pub(super) fn config(&self) -> Value {
        json!({"base_url": format!("http://{}/v1", self.address)})
    }

    pub(super) fn requests(&self) -> usize {
        self.seen.try_iter().filter(|seen| matches!(seen, Seen::Request(_))).count()
    }
}

/// Keeps the stream open until the request no longer counts.
fn answer(mut stream: TcpStream, act: Act, sender: &mpsc::Sender<Seen>) -> TcpStream {
    match act {
        Act::Say(text) => {
            let _ = stream.write_all(text.as_bytes());
        }
        Act::SayWhenTold(text, told) => {
            let _ = told.lock().unwrap().recv_timeout(PLENTY);
            let _ = stream.write_all(text.as_bytes());
        }
        Act::Hang => {
            let _ = stream.read(&mut [0]);
            let _ = sender.send(Seen::Closed);
        }
    }
    stream
}

pub(super) fn http(status: u16, headers: &str, body: &str) -> String {
    loopback::http(&format!("{status} X"), headers, body)
}

pub(super) fn fine() -> Act {
    Act::Say(http(200, "", r#"{"answer": "grade 2", "in": 5, "out": 7}"#))
}
