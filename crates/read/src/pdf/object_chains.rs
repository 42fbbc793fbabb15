//! Objects that are made from others: colours and functions. Those that need themselves, or very many others, would be
//! followed until the stack is full.

use super::super::file_text::Unread;
use super::bounded::{StepsLeft, give_up};
use hayro_interpret::hayro_syntax::object::{Dict, Object};

/// The most objects in one another: those of documents are three or four.
const DEEPEST: usize = 60;
/// The steps for an object.
const STEPS: u64 = 20;
/// Entries of dictionaries by which colours, functions, shadings and states name what they are made from.
const LINKS: [&[u8]; 9] =
    [b"ColorSpace", b"CS", b"Function", b"Functions", b"Alternate", b"Shading", b"TR", b"TR2", b"BG"];

/// Follows what an object is made from; the reading is given up where that does not end. Returns the bytes of the longest
/// function in it.
pub(super) fn follow(object: Object<'_>, steps: &mut StepsLeft) -> u64 {
    let mut longest = 0;
    let mut open = vec![(object, 0)];
    while let Some((object, depth)) = open.pop() {
        steps.take(STEPS);
        if depth > DEEPEST {
            give_up(Unread::TooMuchWork);
        }
        let links = |dict: &Dict<'_>| -> Vec<Vec<u8>> {
            LINKS.iter().filter(|key| dict.contains_key(key)).map(|key| key.to_vec()).collect()
        };
        match object {
            Object::Array(array) => {
                steps.take(u64::try_from(array.data().len()).unwrap_or(u64::MAX) / STEPS);
                let made_of = array.iter::<Object<'_>>().filter(is_made);
                open.extend(made_of.map(|inner| (inner, depth + 1)));
            }
            Object::Dict(dict) => {
                let inner = links(&dict).into_iter().filter_map(|key| dict.get::<Object<'_>>(&key));
                open.extend(inner.filter(is_made).map(|inner| (inner, depth + 1)));
            }
            Object::Stream(stream) => {
                let dict = stream.dict();
                if dict.contains_key(b"FunctionType") {
                    longest = longest.max(u64::try_from(stream.raw_data().len()).unwrap_or(u64::MAX));
                }
                let inner = links(dict).into_iter().filter_map(|key| dict.get::<Object<'_>>(&key));
                open.extend(inner.filter(is_made).map(|inner| (inner, depth + 1)));
            }
            Object::Null(_)
            | Object::Boolean(_)
            | Object::Number(_)
            | Object::String(_)
            | Object::Name(_) => {}
        }
    }
    longest
}

/// Returns whether an object is made from others.
fn is_made(object: &Object<'_>) -> bool {
    matches!(object, Object::Array(_) | Object::Dict(_) | Object::Stream(_))
}
