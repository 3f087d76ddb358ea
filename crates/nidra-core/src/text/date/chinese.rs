//! Chinese date expressions, simplified and traditional.

use super::calendar::{self, add_days};
use super::context::Context;
use super::weekly::is_weekly_rule;
use super::{Form, Pattern, Reading, Shape, patterns};
use jiff::Span;
use jiff::civil::{Date, Weekday};
use regex::Captures;
use std::sync::LazyLock;

const NUMBER: &str = r"(?P<n>\d{1,3}|半|[一二两兩三四五六七八九十]{1,3})";
const WEEK: &str = r"(?:周|週|星期|礼拜|禮拜)";
const DAY: &str = r"(?P<w>[一二三四五六日天])";
const PART: &str = r"(?P<part>早上|早晨|上午|中午|下午|傍晚|晚上|夜里|凌晨)?";

/// All Chinese shapes.
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let shapes: Vec<Shape> = vec![
        (format!(r"(?P<word>大前天|大后天|大後天|前天|昨天|昨日|今天|今日|明天|明日|后天|後天){PART}"), &["天", "日"], named_day),
        (r"(?P<word>今晚|今早|今晨|今夜|昨晚|昨夜|明晚|明早|前晚|后晚|後晚)上?".to_owned(), &["今", "昨", "明", "前", "后", "後"], part_of_day),
        (format!(r"{NUMBER}个?(?P<u>小时|小時|天|日|周|週|星期|礼拜|個星期|月|個月|年)(?P<s>以前|之前|前|以后|之后|后|以後|之後|後|内|之内|以内|內|之內|以內)"), &["前", "后", "後", "内", "內"], shifted),
        (format!(r"(?:还有|還有|还剩|只剩|就剩){NUMBER}(?P<u>天|周|週|星期|个月)"), &["还有", "還有", "还剩", "只剩", "就剩"], left),
        (format!(r"(?P<which>上上个?|下下个?|上个?|下个?|这个?|這個?|本){WEEK}{DAY}{PART}"), &["周", "週", "星期", "礼拜", "禮拜"], which_weekday),
        (format!(r"(?P<which>上上个?|下下个?|上个?|下个?|这个?|這個?|本){WEEK}(?P<end>末)?"), &["周", "週", "星期", "礼拜", "禮拜"], which_week),
        (format!(r"{WEEK}{DAY}{PART}"), &["周", "週", "星期", "礼拜", "禮拜"], bare_weekday),
        (r"(?P<which>上上个?|下下个?|上个?|下个?|下個|上個|这个?|這個|本)月(?P<rest>\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})\s?[号日號]|底|末|初|中旬|中|上旬|下旬)?".to_owned(), &["月"], which_month),
        (r"(?:(?P<y>(?:19|20)\d\d)\s?年|(?P<rel>今年|明年|去年|前年|后年|後年|本年))?\s?(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:份)?\s?(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号號]".to_owned(), &["月"], month_day),
        (r"(?:(?P<y>(?:19|20)\d\d)\s?年|(?P<rel>今年|明年|去年|前年|后年|後年))?\s?(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:份)?(?P<rest>底|末|初|中旬|上旬|下旬)".to_owned(), &["月"], edge_of_month),
        (r"(?:(?P<y>(?:19|20)\d\d)\s?年|(?P<rel>今年|明年|去年|前年|后年|後年))\s?(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:份)?".to_owned(), &["月"], month_of_year),
        (r"(?P<rel>今年|明年|去年|前年|后年|後年)(?P<rest>年?底|年?末|年?初|上半年|下半年)?".to_owned(), &["年"], which_year),
        (r"(?P<edge>月底|月末|月初|年底|年末|年初)".to_owned(), &["月", "年"], edge),
        (r"(?P<which>上个?|下个?|这个?|這個|本)?季度(?P<end>末|底|初)|(?P<span>上个?|下个?|这个?|這個|本)季度?".to_owned(), &["季"], quarter),
        (r"(?:(?P<y>20\d\d)\s?年\s?)?第?(?P<q>[一二三四1-4])季度".to_owned(), &["季度"], numbered_quarter),
        (r"(?P<f>元旦|国庆节?|國慶節?|五一|劳动节|双十一|双11|圣诞节?|双十二)".to_owned(), &["元旦", "国庆", "國慶", "五一", "劳动节", "双十一", "双11", "圣诞", "双十二"], feast),
    ];
    patterns(shapes)
});

fn group<'t>(captures: &Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

/// A number in digits or in characters up to 99.
fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let digit = |c: char| match c {
        '两' | '兩' => Some(2),
        c => "一二三四五六七八九".chars().zip(1..).find(|&(d, _)| d == c).map(|(_, n)| n),
    };
    let characters: Vec<char> = text.chars().collect();
    match characters.as_slice() {
        ['十'] => Some(10),
        [c] => digit(*c),
        ['十', ones] => Some(10 + digit(*ones)?),
        [tens, '十'] => Some(digit(*tens)? * 10),
        [tens, '十', ones] => Some(digit(*tens)? * 10 + digit(*ones)?),
        _ => None,
    }
}

/// A Chinese reading.
fn chinese(reading: Reading) -> Reading {
    Reading { chinese: true, ..reading }
}

fn part(captures: &Captures<'_>) -> Option<String> {
    captures.name("part").map(|part| part.as_str().to_owned())
}

/// Whether the character right before or behind the expression makes it another word.
fn touches(context: &Context<'_>, before: &str, after: &str) -> bool {
    let left = context.text[..context.range.start].chars().next_back();
    let right = context.text[context.range.end..].chars().next();
    left.is_some_and(|c| before.contains(c)) || right.is_some_and(|c| after.contains(c))
}

fn named_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let word = group(captures, "word");
    let days = match word {
        "大前天" => -3,
        "前天" => -2,
        "昨天" | "昨日" => -1,
        "今天" | "今日" => 0,
        "明天" | "明日" => 1,
        "大后天" | "大後天" => 3,
        _ => 2,
    };
    // 以前天天, 之后天气, 目前天, 三天后天 …: pieces of other words.
    let piece =
        matches!(word, "前天" | "后天" | "後天") && touches(context, "以之目最从先随然而今往背", "天气氣");
    let after = context.after();
    let name = after.starts_with('性') || after.starts_with("头条") || after.starts_with('报');
    if piece || name {
        return None;
    }
    Some(chinese(Reading { part: part(captures), ..Reading::day(add_days(context.today, days)?) }))
}

fn part_of_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let mut characters = group(captures, "word").chars();
    let days = match characters.next()? {
        '前' => -2,
        '昨' => -1,
        '今' => 0,
        '明' => 1,
        _ => 2,
    };
    let part = match characters.next()? {
        '早' | '晨' => "早上",
        '夜' => "夜里",
        _ => "晚上",
    };
    Some(chinese(Reading { part: Some(part.to_owned()), ..Reading::day(add_days(context.today, days)?) }))
}

/// 开幕还有十七天: what is left until it, where nothing else is counted.
fn left(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let after = context.after();
    let ends = after.trim_start().chars().next().is_none_or(|c| "，。；,.;!！?？\n就".contains(c));
    let count = parse(group(captures, "n")).filter(|_| ends)?;
    let today = context.today;
    let day = match group(captures, "u") {
        "天" => add_days(today, count)?,
        "个月" => calendar::add_months(today, count)?,
        _ => add_days(today, count * 7)?,
    };
    // The words say it better; the day stands beside them.
    Some(chinese(Reading::day(day).sure(false)))
}

/// Whether the word for before or after is a single character, which may begin another word.
fn suffix_is_bare(suffix: &str) -> bool {
    matches!(suffix, "前" | "后" | "後")
}

fn shifted(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let before = context.before();
    let after = context.after();
    let sentence = format!("{before}{after}");
    // 提前三天, 保留 7 天后删除, 每三天之后: how long or how often, not when.
    let lasting = [
        "提前", "每", "第", "满", "超过", "至少", "保留", "过期", "有效", "隔", "近", "连续", "最近", "最多",
        "不到",
    ]
    .iter()
    .any(|word| before.ends_with(word) || before.trim_end().ends_with(word));
    let policy = ["自动", "保留", "失效", "每", "一律", "必须", "如果", "重试", "超时"]
        .iter()
        .any(|word| sentence.contains(word));
    let text = group(captures, "n");
    // 2026年前, 10月前: a year or a month, not a number of them.
    let unit = group(captures, "u").trim_start_matches('個');
    let counted = captures.get(0)?.as_str().contains(['个', '個']);
    // 八年前端, 三年后台: what follows is another word, and the number says how long.
    let other = suffix_is_bare(group(captures, "s")) && touches(context, "", "端台面缀景沿置期续缘勤半");
    if lasting || other || touches(context, "0123456789.十百千万几", "") || unit == "月" && !counted {
        return None;
    }
    let half = text == "半";
    let number = if half { 0 } else { parse(text)? };
    let suffix = group(captures, "s");
    let inside = suffix.contains(['内', '內']);
    let sign = if suffix.ends_with('前') { -1 } else { 1 };
    let today = context.today;
    let reading = match unit {
        "小时" | "小時" if !half => {
            if inside {
                return None;
            }
            let then = context.said.checked_add(Span::new().try_hours(sign * number).ok()?).ok()?;
            Reading::day(then.date()).sure(sign < 0)
        }
        "天" | "日" if half => Reading::day(today).sure(false),
        "天" | "日" => Reading::day(add_days(today, sign * number)?),
        "周" | "週" | "星期" | "礼拜" if !half => Reading::day(add_days(today, sign * number * 7)?),
        "月" if half => Reading::day(add_days(today, sign * 15)?).sure(false),
        "月" => Reading::span(calendar::month(today, sign * number)?),
        "年" if half => Reading::span(calendar::month(today, sign * 6)?).sure(false),
        "年" if number < 200 => Reading::span(calendar::year(i64::from(today.year()) + sign * number)?),
        _ => return None,
    };
    if inside {
        return Some(chinese(Reading::span((today, reading.end.unwrap_or(reading.start))).sure(false)));
    }
    // 两周之前 may be a limit (finish before then); after a verb of the future it is one.
    let certain = reading.certain && !(policy && sign > 0);
    Some(chinese(reading.sure(certain)))
}

fn weekday(captures: &Captures<'_>) -> Option<Weekday> {
    weekday_named(group(captures, "w"))
}

/// The weekday that stands behind 周 or 星期.
pub(super) fn weekday_named(name: &str) -> Option<Weekday> {
    Some(match name {
        "一" => Weekday::Monday,
        "二" => Weekday::Tuesday,
        "三" => Weekday::Wednesday,
        "四" => Weekday::Thursday,
        "五" => Weekday::Friday,
        "六" => Weekday::Saturday,
        "日" | "天" => Weekday::Sunday,
        _ => return None,
    })
}

/// How many weeks, months or quarters a word is away.
fn offset(which: &str) -> i64 {
    match which.trim_end_matches(['个', '個']) {
        "上上" => -2,
        "上" => -1,
        "下" => 1,
        "下下" => 2,
        _ => 0,
    }
}

/// Whether a weekday counts something: 上周三次, 两周三天.
fn counts(context: &Context<'_>) -> bool {
    touches(context, "", "次天遍倍趟个個")
}

/// Whether the weekday is one of a list or range: 周二、周三, 周一到周五.
fn is_listed(context: &Context<'_>) -> bool {
    let after = context.after();
    let next =
        after.trim_start_matches(['、', '和', '到', '至', '-', '~', '～', '—', '或', '与', '跟', ' ', '，']);
    let joined = next.len() < after.len();
    let starts = ["周", "星期", "礼拜", "週"].iter().any(|mark| next.starts_with(mark));
    let before = context.before();
    let previous =
        before.trim_end_matches(['、', '和', '到', '至', '-', '~', '～', '—', '或', '与', '跟', ' ']);
    let weekday = previous.len() < before.len()
        && previous.ends_with(['一', '二', '三', '四', '五', '六', '日', '天'])
        && ["周", "星期", "礼拜", "週"]
            .iter()
            .any(|mark| previous.trim_end_matches(|c: char| "一二三四五六日天".contains(c)).ends_with(mark));
    // 从这周开始是周二、周三，周四留给 …: the whole sentence is a timetable.
    let timetable =
        ["、周", "、星期", "和周", "、週"].iter().any(|mark| after.contains(mark) || before.contains(mark));
    // 6月12日（周五）: the date stands beside it.
    let beside = before.ends_with(['（', '('])
        && before.trim_end_matches(['（', '(']).ends_with(|c: char| "日号號0123456789".contains(c));
    joined && starts || weekday || timetable || beside
}

fn which_weekday(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if counts(context) || touches(context, "每", "") {
        return None;
    }
    let offset = offset(group(captures, "which"));
    let day = calendar::weekday_of_week(context.today, weekday(captures)?, offset)?;
    Some(chinese(Reading { part: part(captures), ..Reading::day(day) }))
}

fn which_week(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    // 上周期, 下周边 …: other words; 每下周 does not exist but 每周 does.
    if touches(context, "每晚早马以", "期边围知年岁长会刊报转波") {
        return None;
    }
    let offset = offset(group(captures, "which"));
    let (start, end) = calendar::week(context.today, offset)?;
    let span = if captures.name("end").is_some() { (add_days(start, 5)?, end) } else { (start, end) };
    Some(chinese(Reading::span(span)))
}

fn bare_weekday(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    // 一周三次, 每周五, 周日志, 几周三天: no day.
    if counts(context)
        || touches(
            context,
            "一二两兩三四五六七八九十0123456789每几半整个個上下这這本第双隔天日号號",
            "志報报期年岁月",
        )
        || context.is_habit()
        || is_listed(context)
        || is_weekly_rule(&format!("{}{}{}", context.before(), &captures[0], context.after()))
    {
        return None;
    }
    let weekday = weekday(captures)?;
    let today = context.today;
    let past = context.is_past() == Some(true);
    let best = if past { calendar::past(today, weekday)? } else { calendar::coming(today, weekday)? };
    Some(chinese(Reading { part: part(captures), ..Reading::day(best) }.sure(false)))
}

/// Whether the expression is a limit: 月底前, 到年底.
fn is_deadline(context: &Context<'_>) -> bool {
    let after = context.after();
    let before = context.before();
    ["前", "之前", "以前", "截止"].iter().any(|mark| after.starts_with(mark))
        || ["到", "截止", "截至", "赶在"].iter().any(|mark| before.trim_end().ends_with(mark))
            && !after.starts_with('左')
}

/// The part of a month that a word names.
fn part_of_month((start, end): (Date, Date), rest: &str, deadline: bool) -> Option<Reading> {
    Some(match rest {
        "底" | "末" => Reading::day(end).sure(deadline),
        "初" | "上旬" => Reading::span((start, add_days(start, 9)?)).sure(rest == "上旬"),
        "中" | "中旬" => Reading::span((add_days(start, 10)?, add_days(start, 19)?)).sure(rest == "中旬"),
        "下旬" => Reading::span((add_days(start, 20)?, end)),
        day => {
            let day = parse(day.trim().trim_end_matches(['号', '日', '號']))?;
            Reading::day(calendar::date(start.year().into(), start.month().into(), day)?)
        }
    })
}

fn which_month(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if touches(context, "每", "球亮饼光老") {
        return None;
    }
    let offset = offset(group(captures, "which"));
    let span = calendar::month(context.today, offset)?;
    let reading = match captures.name("rest") {
        None => Reading::span(span),
        Some(rest) => part_of_month(span, rest.as_str(), is_deadline(context))?,
    };
    Some(chinese(reading))
}

/// The year of an expression: `Some((year, named))`, where it has one.
fn year(captures: &Captures<'_>, context: &Context<'_>) -> Option<(i64, bool)> {
    if let Some(year) = captures.name("y") {
        return Some((year.as_str().parse().ok()?, true));
    }
    let this = i64::from(context.today.year());
    let shift = match captures.name("rel")?.as_str() {
        "去年" => -1,
        "前年" => -2,
        "明年" => 1,
        "后年" | "後年" => 2,
        _ => 0,
    };
    Some((this + shift, false))
}

fn month_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if touches(context, "0123456789每", "") {
        return None;
    }
    let (month, day) = (parse(group(captures, "m"))?, parse(group(captures, "d"))?);
    if let Some((year, named)) = year(captures, context) {
        let reading = Reading::day(calendar::date(year, month, day)?);
        return Some(chinese(if named { reading.form(Form::Dated) } else { reading }));
    }
    if context.is_habit() {
        return None;
    }
    let (date, near) = calendar::nearest(context.today, month, day)?;
    Some(chinese(Reading::day(date).sure(near).form(Form::Yearless)))
}

fn edge_of_month(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if touches(context, "0123456789每", "") {
        return None;
    }
    let month = parse(group(captures, "m"))?;
    let (start, near) = if let Some((year, _)) = year(captures, context) {
        (calendar::date(year, month, 1)?, true)
    } else {
        let (middle, near) = calendar::nearest(context.today, month, 15)?;
        (middle.first_of_month(), near)
    };
    let reading =
        part_of_month((start, start.last_of_month()), group(captures, "rest"), is_deadline(context))?;
    let certain = reading.certain && near;
    Some(chinese(reading.sure(certain)))
}

fn month_of_year(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let (year, named) = year(captures, context)?;
    let start = calendar::date(year, parse(group(captures, "m"))?, 1)?;
    let reading = Reading::span((start, start.last_of_month()));
    Some(chinese(if named { reading.form(Form::Dated) } else { reading }))
}

fn which_year(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if matches!(group(captures, "rel"), "前年" | "后年" | "後年")
        && touches(context, "以之目前百几十", "轻龄")
    {
        return None;
    }
    let (year, _) = year(captures, context)?;
    let (start, end) = calendar::year(year)?;
    let rest = group(captures, "rest");
    Some(chinese(match rest.trim_start_matches('年') {
        "" => Reading::span((start, end)),
        "底" | "末" => Reading::day(end).sure(is_deadline(context)),
        "初" => Reading::span((start, calendar::date(year, 1, 31)?)).sure(false),
        _ if rest.starts_with('上') => Reading::span((start, calendar::date(year, 6, 30)?)),
        _ => Reading::span((calendar::date(year, 7, 1)?, end)),
    }))
}

fn edge(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let word = group(captures, "edge");
    if touches(context, "每个個0123456789一二三四五六七八九十上下这這本今明去", "") || context.is_habit()
    {
        return None;
    }
    let today = context.today;
    let past = context.is_past() == Some(true);
    let (start, end) = if word.starts_with('月') {
        calendar::month(today, 0)?
    } else {
        calendar::year(i64::from(today.year()))?
    };
    Some(chinese(match word {
        "月底" | "月末" | "年底" | "年末" => Reading::day(end).sure(is_deadline(context) && !past),
        "月初" => {
            let next = !past && today.day() > 10;
            let start = if next { calendar::month(today, 1)?.0 } else { start };
            Reading::span((start, add_days(start, 9)?)).sure(false)
        }
        _ => {
            let next = !past && today.month() > 2;
            let start = if next { calendar::date(i64::from(today.year()) + 1, 1, 1)? } else { start };
            Reading::span((start, start.last_of_month())).sure(false)
        }
    }))
}

fn quarter(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if touches(context, "每一二三四第1234", "") {
        return None;
    }
    let which =
        captures.name("which").or_else(|| captures.name("span")).map_or("本", |found| found.as_str());
    // 本季 and 下季 alone also are seasons of other things.
    let whole = captures.get(0)?.as_str();
    if !whole.contains("季度") {
        return None;
    }
    let (start, end) = calendar::quarter(context.today, offset(which))?;
    Some(chinese(match group(captures, "end") {
        "" => Reading::span((start, end)).sure(false),
        "初" => Reading::day(start).sure(false),
        _ => Reading::day(end).sure(is_deadline(context)),
    }))
}

fn numbered_quarter(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if touches(context, "0123456789-一二三四五六七八九十每", "") {
        return None;
    }
    let quarter = parse(group(captures, "q"))?;
    let span = |year: i64| calendar::quarter(calendar::date(year, quarter * 3 - 2, 1)?, 0);
    if let Some((year, _)) = year(captures, context) {
        return Some(chinese(Reading::span(span(year)?).form(Form::Dated)));
    }
    if context.is_habit() {
        return None;
    }
    let this = i64::from(context.today.year());
    let over = span(this)?.1 < context.today && context.is_past() != Some(true);
    Some(chinese(Reading::span(span(if over { this + 1 } else { this })?).sure(false)))
}

fn feast(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let word = group(captures, "f");
    if word == "五一" && touches(context, "零一二三四五六七八九十百周期拜", "零一二三四五六七八九十百个次")
    {
        return None;
    }
    let (month, day) = match word {
        "元旦" => (1, 1),
        "五一" | "劳动节" => (5, 1),
        "双十一" | "双11" => (11, 11),
        "双十二" => (12, 12),
        word if word.starts_with("圣诞") => (12, 25),
        _ => (10, 1),
    };
    if context.is_habit() {
        return None;
    }
    let past = context.is_past() == Some(true);
    Some(chinese(Reading::day(calendar::yearly(context.today, month, day, past)?).sure(false)))
}
