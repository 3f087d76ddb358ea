//! In what forms a secret stands in a transcript.

use super::kinds::{Kind, Shape};
use nidra_core::text::redact::sample::{Generator, Sample};

/// A form: its name, and how it writes a token, a named value or a text; `None` where it does not fit.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    write: Writer,
}

enum Writer {
    /// A template for a token: `{S}` is the secret, `{N}` a name in code, `{F}` the name of an option, `{Z}` the name in Chinese.
    /// The flag says that the form gives the value a name.
    Template(&'static str, bool),
    /// Rewrites a text that holds the secret between its marks.
    Text(fn(&str) -> String),
    /// Rewrites a secret that stands in `N=S`.
    Disguise(fn(&str) -> Option<String>),
}

const fn named(name: &'static str, template: &'static str) -> Form {
    Form { name, write: Writer::Template(template, true) }
}

const fn plain(name: &'static str, template: &'static str) -> Form {
    Form { name, write: Writer::Template(template, false) }
}

const fn text(name: &'static str, write: fn(&str) -> String) -> Form {
    Form { name, write: Writer::Text(write) }
}

const fn disguise(name: &'static str, write: fn(&str) -> Option<String>) -> Form {
    Form { name, write: Writer::Disguise(write) }
}

/// All forms.
pub(crate) const FORMS: &[Form] = &[
    plain("bare", "{S}"),
    plain("quoted", "\"{S}\""),
    plain("in backticks", "then `{S}` was shown"),
    plain("sentence", "please use {S} for now and ask me later"),
    plain("Chinese sentence without a name", "先用{S}，别外传"),
    plain("list", "- {S}\n- second"),
    plain("call", "client = Client(\"{S}\", timeout=3)"),
    plain("line number", "    12\tS"),
    named("Chinese sentence", "测试环境的{Z}是 {S}，先别改"),
    named("Chinese with a colon", "{Z}：{S}。"),
    named("env", "export {N}={S}"),
    named("env, quoted", "{N}=\"{S}\" ./run.sh"),
    named("dotenv", "HOST=a.test\n{N}={S}\nPORT=80"),
    named("JSON", "{\"host\": \"a.test\", \"{N}\": \"{S}\", \"port\": 80}"),
    named("JSON, close", "{\"{N}\":\"{S}\"}"),
    named("JSON, escaped", "{\\\"{N}\\\":\\\"{S}\\\",\\\"a\\\":1}"),
    named("JSON, escaped twice", "\"{\\\\\\\"{N}\\\\\\\": \\\\\\\"{S}\\\\\\\"}\""),
    named("JSON, escaped lines", "\"stdout\":\"HOST=a.test\\n{N}={S}\\nPORT=80\\n\""),
    named("YAML", "host: a.test\n{N}: {S}\nport: 80"),
    named("YAML, quoted", "  {N}: '{S}'"),
    named("YAML, folded", "{N}: >-\n  {S}\nport: 80"),
    named("TOML", "{N} = \"{S}\""),
    named("INI", "[db]\n{N} = {S}"),
    named("flag", "deploy --{F} {S} --dry-run"),
    named("flag with a mark", "deploy --{F}={S} --dry-run"),
    named("address", "https://a.test/v1/list?{N}={S}&page=2"),
    named("log line", "2026-06-08T12:00:01{Z} INFO connect host=a.test {N}={S} user=app took=12ms"),
    named("table", "| {N} | {S} |"),
    named("table, columns", "| host | {N} |\n| --- | --- |\n| a.test | `{S}` |"),
    named("markdown list", "- **{N}**: `{S}`"),
    named("constant", "const {N} = \"{S}\";"),
    named("dictionary", "os.environ[\"{N}\"] = '{S}'"),
    named("XML", "<{N}>{S}</{N}>"),
    named("difference", "-{N}=old\n+{N}={S}"),
    named("container", "docker run -e {N}={S} -p 80:80 app"),
    named("name and value", "- name: {N}\n  value: {S}"),
    named("HTML", "&quot;{N}&quot;:&quot;{S}&quot;"),
    disguise("zero-width", |secret| {
        let mut characters = secret.chars();
        let head: String = characters.by_ref().take(5).collect();
        Some(format!("N=\u{200b}{head}\u{200b}{}", characters.as_str()))
    }),
    disguise("full-width", |secret| {
        let wide = |c: char| {
            if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xFEE0).unwrap_or(c) } else { c }
        };
        Some(format!(
            "N={}",
            secret.chars().map(|c| if c.is_ascii_alphanumeric() { wide(c) } else { c }).collect::<String>()
        ))
    }),
    disguise("broken by the terminal", |secret| {
        (secret.len() >= 56)
            .then(|| format!("N={}\n{}", &secret[..secret.len() - 20], &secret[secret.len() - 20..]))
    }),
    disguise("broken with a backslash", |secret| {
        (secret.len() >= 56)
            .then(|| format!("N={}\\\n  {}", &secret[..secret.len() - 20], &secret[secret.len() - 20..]))
    }),
    text("text as it is", str::to_owned),
    text("text in a log", |text| format!("12:00:01 INFO start\n{text}\n12:00:02 INFO done")),
    text("text in a fence", |text| format!("```\n{text}\n```\nand then")),
    text("text, indented", |text| format!("    {}", text.replace('\n', "\n    "))),
    text("text, quoted", |text| format!("> {}", text.replace('\n', "\n> "))),
    text("text in JSON", |text| format!("{{\"stdout\":\"{}\",\"code\":0}}", escaped(text))),
    text("text in JSON twice", |text| {
        format!("{{\"body\":\"{{\\\"stdout\\\":\\\"{}\\\"}}\"}}", escaped(&escaped(text)))
    }),
    text("text among Chinese", |text| format!("我把结果贴在这里：\n{text}\n上面就是全部内容。")),
    text("text with carriage returns", |text| text.replace('\n', "\r\n")),
    text("text in a difference", |text| format!("@@ -1,2 +1,3 @@\n+{}", text.replace('\n', "\n+"))),
    text("text with line numbers", |text| format!("     1\t{}", text.replace('\n', "\n     2\t"))),
];

/// Escaped as JSON has it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl Form {
    /// Writes a kind in this form; `None` where the two do not fit.
    pub(crate) fn write(&self, kind: &Kind, generator: &mut Generator) -> Option<Sample> {
        let (secret, name, chinese, self_telling) = match (&kind.shape, &self.write) {
            (Shape::Text(template), Writer::Text(write)) => {
                let filled = generator.fill(template);
                return Some(generator.sample(&mark_lines(&write(&filled))));
            }
            (Shape::Text(_), _) | (_, Writer::Text(_)) => return None,
            (Shape::Token(template), _) => (generator.fill(template), "ACCESS_TOKEN", "令牌", true),
            (Shape::Named(name, chinese, template), _) => {
                (format!("«{}»", generator.fill(template)), *name, *chinese, false)
            }
        };
        let template = match &self.write {
            Writer::Template(_, false) if !self_telling => return None,
            Writer::Template(template, _) => (*template).to_owned(),
            Writer::Disguise(write) => {
                let inner = secret.trim_matches(['«', '»']);
                let written = write(inner)?;
                let (name, value) = written.split_once('=')?;
                return Some(
                    generator
                        .sample(&mark_lines(&format!("{}=«{value}»", name.replace('N', kind_name(kind))))),
                );
            }
            Writer::Text(_) => return None,
        };
        // An address holds what may stand in one.
        if self.name == "address" && secret.contains(['#', '%', '&', '+', '/', '=', '$']) {
            return None;
        }
        let option = name.to_lowercase().replace('_', "-");
        let text = template
            .replace("{N}", name)
            .replace("{F}", &option)
            .replace("{Z}", chinese)
            .replace("{S}", &secret);
        Some(generator.sample(&text))
    }
}

/// The name beside a disguised value.
fn kind_name(kind: &Kind) -> &'static str {
    match kind.shape {
        Shape::Named(name, ..) => name,
        Shape::Token(_) | Shape::Text(_) => "ACCESS_TOKEN",
    }
}

/// Marks each line of a secret for itself, without what a form put in front of the line.
fn mark_lines(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut inside = false;
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            marked.push('\n');
        }
        if inside {
            let start = line
                .find(|c: char| c == '»' || c.is_ascii_alphanumeric() && !is_numbering(line))
                .unwrap_or_else(|| line.rfind('\t').map_or(line.len(), |tab| tab + 1));
            let start =
                if is_numbering(line) { line.rfind('\t').map_or(start, |tab| tab + 1) } else { start };
            marked.push_str(&line[..start]);
            if !line[start..].starts_with('»') && start < line.len() {
                marked.push('«');
            }
            marked.push_str(&line[start..]);
        } else {
            marked.push_str(line);
        }
        for character in line.chars() {
            match character {
                '«' => inside = true,
                '»' => inside = false,
                _ => {}
            }
        }
        if inside {
            marked.push('»');
        }
    }
    marked
}

/// Whether a form numbered the line.
fn is_numbering(line: &str) -> bool {
    line.starts_with("     2\t")
}
