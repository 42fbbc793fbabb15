//! Four hundred letters through a vendor on a bad day: it thinks aloud, drafts, quotes other letters, is cut, wraps its
//! answers, sends errors beside them and counts in part. Even so, no wrong answer passes, and what it charged is what
//! the results and the journal report, to the token; where it did not say enough, that is reported.
//!
//! Faults are drawn from a fixed seed, and only a letter's first call has one.

use super::wire::{self, Request, Response};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const LETTERS: usize = 400;
const SEED: u64 = 0x5eed_0f1e_77e5;

/// In dollars per million tokens; all costs are whole numbers of half a millionth of a dollar.
const PRICES: &str = "prices:
  - { provider: openai, models: [chaos-1], input: 1, cached_input: 0.5, cache_write: 2, output: 10, as_of: 2026-01-02 }
";

/// A letter, and what another one says of which this one speaks, too.
struct Letter {
    number: usize,
    truth: Value,
    other: Value,
    text: String,
}

impl Letter {
    fn of(number: usize) -> Self {
        const SPECIALTIES: [&str; 6] =
            ["Cardiology", "Neurology", "Dermatology", "Urology", "Rheumatology", "Ophthalmology"];
        const REASONS: [&str; 4] = [
            "palpitations on exertion for",
            "headaches in the morning for",
            "an itching rash of both arms for",
            "blurred vision of the left eye for",
        ];
        let pick = |at: usize| (SPECIALTIES[at % 6], REASONS[at % 4]);
        let (specialty, reason) = pick(number);
        let (other_specialty, other_reason) = pick(number + 1);
        let truth = json!({
            "reason": format!("{reason} {} months", 2 + number % 9),
            "specialty": specialty,
            "urgency": (["soon", "urgent"][number % 2]),
            "date": format!("{} March 2025", 1 + number % 28),
        });
        let other = json!({
            "reason": format!("{other_reason} {} weeks", 3 + number % 7),
            "specialty": other_specialty,
            "urgency": "routine",
            "date": format!("{} May 2023", 1 + number % 28),
        });
        let [said, before] =
            [&truth, &other].map(|one| |field: &str| one[field].as_str().unwrap().to_owned());
        let text = format!(
            "GREENFIELD MEDICAL PRACTICE\n\nREFERRAL LETTER\n\nOur sign: L-{number:04}\nDate: {}\nReferral to: {}\nPriority: {}\n\n\
             Dear colleague,\n\nReason for referral: {}\n\nIn our letter of {} we had asked {} for a {} visit: {}.\n\n\
             With kind regards,\nDr. A. Sample\n",
            said("date"),
            said("specialty"),
            said("urgency"),
            said("reason"),
            before("date"),
            before("specialty"),
            before("urgency"),
            before("reason"),
        );
        Letter { number, truth, other, text }
    }

    /// A value that only fits in part: one field of the other letter among those of this one.
    fn mixed(&self) -> Value {
        let mut mixed = self.truth.clone();
        mixed["specialty"] = self.other["specialty"].clone();
        mixed
    }

    /// The whole answer as it was asked for.
    fn asked_for(&self) -> Value {
        json!({ "extraction": self.truth, "evidence": [
            { "path": "/reason", "quote": format!("Reason for referral: {}", self.truth["reason"].as_str().unwrap()) },
            { "path": "/specialty", "quote": format!("Referral to: {}", self.truth["specialty"].as_str().unwrap()) },
        ] })
    }
}

/// A kind of answer by the model.
struct Saying {
    name: &'static str,
    words: fn(&Letter) -> String,
    finish: &'static str,
    /// True if there is one answer, which counts at once.
    is_good: bool,
}

fn cut(text: &str, share: usize) -> String {
    text.chars().take(text.chars().count() * share / 10).collect()
}

const SAYINGS: &[Saying] = &[
    Saying { name: "plain", words: |l| l.truth.to_string(), finish: "stop", is_good: true },
    Saying {
        name: "as it was asked for",
        words: |l| l.asked_for().to_string(),
        finish: "stop",
        is_good: true,
    },
    Saying {
        name: "in a fence, with words around it",
        words: |l| format!("Here it is:\n```json\n{:#}\n```\nAnything else?", l.truth),
        finish: "stop",
        is_good: true,
    },
    Saying {
        name: "thinks in a block, with a draft",
        words: |l| format!("<think>First {}, no.</think>\n{}", l.other, l.truth),
        finish: "stop",
        is_good: true,
    },
    Saying {
        name: "thinks in a block of another name",
        words: |l| format!("<thinking>\n```json\n{}\n```\n</thinking>\n\n{}", l.mixed(), l.truth),
        finish: "stop",
        is_good: true,
    },
    Saying {
        name: "the end of thinking without its beginning",
        words: |l| format!("So maybe {}?\n</think>\n{}", l.mixed(), l.truth),
        finish: "stop",
        is_good: true,
    },
    Saying {
        name: "only thinks",
        words: |l| format!("<think>{}</think>", l.other),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "never ends to think",
        words: |l| format!("<think>Hm. {}", l.other),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "a draft and another answer",
        words: |l| format!("Draft:\n```json\n{}\n```\nBetter:\n```json\n{}\n```", l.mixed(), l.truth),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "the answer, then the other letter's",
        words: |l| format!("{}\nThe letter before said {}", l.truth, l.other),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "quotes a part of the other letter",
        words: |l| format!("Not `{}`, which is of before.\n{}", json!({ "date": l.other["date"] }), l.truth),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "the other letter's alone",
        words: |l| l.other.to_string(),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "one field of the other letter",
        words: |l| l.mixed().to_string(),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "is cut, and says so",
        words: |l| cut(&l.truth.to_string(), 6),
        finish: "length",
        is_good: false,
    },
    Saying {
        name: "is cut in the reason",
        words: |l| cut(&l.truth.to_string(), 2),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "is cut near the end",
        words: |l| cut(&l.truth.to_string(), 9),
        finish: "stop",
        is_good: false,
    },
    Saying {
        name: "in the envelope, in a list",
        words: |l| json!([l.asked_for()]).to_string(),
        finish: "stop",
        is_good: true,
    },
    Saying { name: "says nothing", words: |_| String::new(), finish: "stop", is_good: false },
    Saying {
        name: "speaks of the weather",
        words: |_| "It may rain.".to_owned(),
        finish: "stop",
        is_good: false,
    },
];

/// The vendor's report on what it charges for. `None` where that does not say what the call costs.
struct Counting {
    usage: fn(u64, u64) -> Value,
    /// The tokens that are reported, and the price in half millionths of a dollar.
    charges: fn(u64, u64) -> (u64, Option<u64>),
}

const fn price(read: u64, written: u64) -> Option<u64> {
    Some(2 * read + 20 * written)
}

/// The first counts everything, and is half of all.
const COUNTINGS: &[Counting] = &[
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "completion_tokens": c, "total_tokens": p + c}),
        charges: |p, c| (p + c, price(p, c)),
    },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "completion_tokens": c, "prompt_tokens_details": {"cached_tokens": p / 2}}),
        charges: |p, c| (p + c, Some(2 * (p - p / 2) + p / 2 + 20 * c)),
    },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "completion_tokens": c, "cache_creation_input_tokens": p / 4}),
        charges: |p, c| (p + c, Some(2 * (p - p / 4) + 4 * (p / 4) + 20 * c)),
    },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "total_tokens": p + c}),
        charges: |p, c| (p + c, price(p, c)),
    },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "completion_tokens": c, "total_tokens": p + c + 50}),
        charges: |p, c| (p + c + 50, price(p, c + 50)),
    },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p.to_string(), "completion_tokens": c as f64}),
        charges: |p, c| (p + c, price(p, c)),
    },
    Counting {
        usage: |p, _| json!({"prompt_tokens": p, "completion_tokens": null}),
        charges: |p, _| (p, None),
    },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "completion_tokens": -(c as i64)}),
        charges: |p, _| (p, None),
    },
    Counting {
        usage: |p, _| json!({"prompt_tokens": p, "completion_tokens": "some"}),
        charges: |p, _| (p, None),
    },
    Counting { usage: |_, c| json!({"completion_tokens": c}), charges: |_, c| (c, None) },
    Counting { usage: |p, c| json!({"total_tokens": p + c}), charges: |p, c| (p + c, None) },
    Counting {
        usage: |p, c| json!({"prompt_tokens": p, "completion_tokens": c, "prompt_tokens_details": {"cached_tokens": p + 1}}),
        charges: |p, c| (p + c, None),
    },
    Counting { usage: |_, _| json!(null), charges: |_, _| (0, None) },
    Counting { usage: |_, _| json!({}), charges: |_, _| (0, None) },
];

/// The fate of the answer on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Straight,
    ErrorThatSaysNothing,
    ErrorBesideIt,
    ErrorInItsChoice,
    EmptyCoding,
    HalfASurrogate,
    Busy,
    Broken,
    Torn,
    Page,
}

const WAYS: [Way; 10] = [
    Way::Straight,
    Way::ErrorThatSaysNothing,
    Way::ErrorBesideIt,
    Way::ErrorInItsChoice,
    Way::EmptyCoding,
    Way::HalfASurrogate,
    Way::Busy,
    Way::Broken,
    Way::Torn,
    Way::Page,
];

impl Way {
    /// Tells whether the answer arrives.
    fn is_clear(self) -> bool {
        matches!(self, Way::Straight | Way::ErrorThatSaysNothing | Way::EmptyCoding | Way::HalfASurrogate)
    }
}

/// The faults of each letter: the number of its saying, that of its counting, and its way.
fn fates() -> Vec<(usize, usize, Way)> {
    let mut state = SEED;
    let mut draw = |below: usize| {
        // Numerical Recipes' 64-bit generator; its high bits are good.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    (0..LETTERS)
        .map(|_| {
            let saying = draw(SAYINGS.len());
            let counting = if draw(2) == 0 { 0 } else { draw(COUNTINGS.len()) };
            let way = if draw(5) < 3 { Way::Straight } else { WAYS[draw(WAYS.len())] };
            (saying, counting, way)
        })
        .collect()
}

/// The charges for one letter.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Charged {
    calls: u64,
    tokens: u64,
    half_millionths: u64,
    unknown: u64,
}

impl Charged {
    fn add(&mut self, (tokens, price): (u64, Option<u64>)) {
        self.calls += 1;
        self.tokens += tokens;
        self.half_millionths += price.unwrap_or(0);
        self.unknown += u64::from(price.is_none());
    }

    fn of(usage: &Value) -> Self {
        let count = |key: &str| usage[key].as_u64().unwrap_or_default();
        assert_eq!(usage["cost_usd"].is_null(), count("calls_of_unknown_cost") > 0, "{usage}");
        let known = usage["cost_usd"].as_f64().or(usage["known_cost_usd"].as_f64());
        let known = known.unwrap_or_else(|| panic!("no cost in {usage}"));
        let half_millionths = (known * 2e6).round();
        assert!((known * 2e6 - half_millionths).abs() < 1e-6, "{usage}");
        Charged {
            calls: count("calls"),
            tokens: count("tokens"),
            half_millionths: format!("{half_millionths:.0}").parse().unwrap(),
            unknown: count("calls_of_unknown_cost"),
        }
    }
}

struct Desk {
    fates: Vec<(usize, usize, Way)>,
    charged: Mutex<BTreeMap<usize, Charged>>,
}

impl Desk {
    fn serve(&self, mut stream: TcpStream) {
        let Ok(reading) = stream.try_clone() else { return };
        let mut reader = BufReader::new(reading);
        while let Some(request) = wire::read(&mut reader) {
            if !self.answer(&request, &mut stream) {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    /// Returns whether the connection stays open.
    fn answer(&self, request: &Request, stream: &mut TcpStream) -> bool {
        let asked = String::from_utf8_lossy(&request.body);
        let number: usize = asked.split("L-").nth(1).unwrap()[..4].parse().unwrap();
        let letter = Letter::of(number);
        let mut charged = self.charged.lock().unwrap();
        let charged = charged.entry(number).or_default();
        let is_first = charged.calls == 0;
        let plain = &SAYINGS[0];
        let (saying, counting, way) = match self.fates[number] {
            (saying, counting, way) if is_first => (&SAYINGS[saying], &COUNTINGS[counting], way),
            _ => (plain, &COUNTINGS[0], Way::Straight),
        };
        let (read, written) = (700 + number as u64, 40 + charged.calls);
        let mut body = json!({
            "id": format!("chaos-{number}"), "object": "chat.completion", "model": "chaos-1",
            "choices": [{
                "index": 0,
                "message": { "role": "assistant", "content": (saying.words)(&letter) },
                "finish_reason": saying.finish,
            }],
            "usage": (counting.usage)(read, written),
        });
        let told = (counting.charges)(read, written);
        let nothing = (0, Some(0));
        let (response, costs) = match way {
            Way::Straight => (Response::json(200, &body), told),
            Way::ErrorThatSaysNothing => {
                body["error"] = [json!({}), json!({"code": 0, "message": ""}), json!(""), json!(null)]
                    [number % 4]
                    .clone();
                (Response::json(200, &body), told)
            }
            Way::ErrorBesideIt => {
                body["error"] = json!({"code": 502, "message": "the upstream broke off"});
                (Response::json(200, &body), told)
            }
            Way::ErrorInItsChoice => {
                body["choices"][0]["error"] = json!({"message": "the upstream broke off"});
                (Response::json(200, &body), told)
            }
            Way::EmptyCoding => {
                (Response::json(200, &body).with("content-encoding", ["", "identity"][number % 2]), told)
            }
            Way::HalfASurrogate => {
                let mut response = Response::json(200, &body);
                let half = String::from_utf8(response.body)
                    .unwrap()
                    .replace("chaos-1\"", "chaos-1\",\"note\":\"\\ud83d\"");
                response.body = half.into_bytes();
                (response, told)
            }
            Way::Busy => {
                let error = json!({"error": {"message": "Slow down.", "code": "rate_limit_exceeded"}});
                (Response::json(429, &error).with("retry-after", "0"), nothing)
            }
            Way::Broken => (Response::json(503, &json!({"error": {"message": "busy"}})), nothing),
            Way::Torn => {
                charged.add((0, None));
                Response::json(200, &body).send_half(stream);
                return false;
            }
            Way::Page => {
                let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
                (Response { status: 200, headers, body: b"<html>moved</html>".to_vec() }, (0, None))
            }
        };
        charged.add(costs);
        response.send(stream)
    }
}

/// Starts the vendor, which ends with the process of the tests.
fn vendor(desk: &Arc<Desk>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let desk = Arc::clone(desk);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let desk = Arc::clone(&desk);
            std::thread::spawn(move || desk.serve(stream));
        }
    });
    format!("http://{address}/v1")
}

#[test]
#[ignore = "long"]
fn no_wrong_answer_passes_and_every_token_is_accounted_for() {
    let place = Workspace::new();
    place.run(&["init"]).exits(0);
    place.write("prices.yaml", PRICES);
    let profile = place.read("profiles/letters.yaml");
    // The vendor is asked again and again, regardless of what it does.
    place.write(
        "profiles/letters.yaml",
        format!(
            "{profile}network: {{ breaker: false, retry_budget: {{ retries: 10000, per_success: 1 }} }}\n"
        ),
    );
    let letters: Vec<Letter> = (0..LETTERS).map(Letter::of).collect();
    for letter in &letters {
        place.write(&format!("letters/l{:04}.txt", letter.number), &letter.text);
    }
    let desk = Arc::new(Desk { fates: fates(), charged: Mutex::default() });
    let run = [
        "run",
        "--profile",
        "letters",
        "--provider",
        "openai:chaos-1",
        "--jobs",
        "8",
        "--keep-going",
        "--quiet",
        "--out",
        "out",
        "letters",
    ];
    let mut command = place.loopctl(&run);
    command.env("OPENAI_BASE_URL", vendor(&desk)).env("OPENAI_API_KEY", "a-key-that-nobody-may-see");
    let ran = crate::workspace::Ran::of(&mut command);

    let mut wrong = Vec::new();
    let mut passed = 0;
    let mut all = Charged::default();
    let charged = desk.charged.lock().unwrap().clone();
    for letter in &letters {
        let result = place.json(&format!("out/l{:04}-result.json", letter.number));
        let (saying, _, way) = desk.fates[letter.number];
        let saying = &SAYINGS[saying];
        let mut complain =
            |what: &str| wrong.push(format!("L-{:04}, {}: {what}", letter.number, saying.name));
        let has_passed = result["final_status"] == "passed";
        passed += usize::from(has_passed);
        if has_passed && result["best_extraction"] != letter.truth {
            complain(&format!("{} passed", result["best_extraction"]));
        }
        let [found, owed] = [Charged::of(&result["usage"]), charged[&letter.number]];
        if found != owed {
            complain(&format!("{owed:?} is {found:?}"));
        }
        if saying.is_good && way.is_clear() && !(has_passed && owed.calls == 1) {
            complain(&format!("a good answer ended as {} after {} calls", result["stop_reason"], owed.calls));
        }
        all.calls += owed.calls;
        all.tokens += owed.tokens;
        all.half_millionths += owed.half_millionths;
        all.unknown += owed.unknown;
    }
    let show = ["runs", "show", "--journal", "out/journal.sqlite", "--format", "json"];
    let journal = Charged::of(&place.run(&show).exits(0).json()["summary"]["usage"]);
    assert!(wrong.is_empty(), "{} of {LETTERS}:\n{}\n{}", wrong.len(), wrong.join("\n"), ran.err);
    assert_eq!(journal, all);
    assert!(all.unknown > 50 && passed > LETTERS / 2, "{all:?}, {passed} passed");
}
