//! Model APIs over loopback that check what they are asked against their vendors' documentation, answer from a script
//! and misbehave on request; and what `loopctl` makes of them.

mod anthropic;
mod api;
mod attached_pages;
mod attachments;
mod chaos;
mod faults;
mod fields;
mod fit;
mod gemini;
mod gemini_schema;
mod openai;
mod outage;
mod paid;
mod profiles;
mod runs;
mod secrets;
mod server;
mod settings;
mod speaks;
mod strict_schema;
mod unseen;
mod wire;
