//! Names of small letters, digits and dashes, made of others.

/// The nearest such name: `tumor-groesse` for `Tumor Größe`. Empty where nothing of it is left.
#[must_use]
pub fn to_kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars().flat_map(plain_letters) {
        if c.is_ascii_alphanumeric() {
            kebab.push(c.to_ascii_lowercase());
        } else if !kebab.is_empty() && !kebab.ends_with('-') {
            kebab.push('-');
        }
    }
    kebab.trim_end_matches('-').to_owned()
}

/// A letter in ASCII, as far as that is usual.
fn plain_letters(c: char) -> impl Iterator<Item = char> {
    let plain = match c.to_lowercase().next().unwrap_or(c) {
        'ä' | 'æ' => "ae",
        'ö' | 'œ' | 'ø' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ç' | 'č' | 'ć' => "c",
        'è' | 'é' | 'ê' | 'ë' | 'ě' | 'ę' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' | 'ń' => "n",
        'ò' | 'ó' | 'ô' | 'õ' => "o",
        'š' | 'ś' => "s",
        'ù' | 'ú' | 'û' | 'ů' => "u",
        'ý' | 'ÿ' => "y",
        'ž' | 'ź' | 'ż' => "z",
        'ł' => "l",
        _ => "",
    };
    plain.chars().chain(plain.is_empty().then_some(c))
}
