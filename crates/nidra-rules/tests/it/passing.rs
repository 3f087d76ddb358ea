//! What holds for the moment, is another's, is only imagined or is taken back is not kept, in both languages.

use crate::talk::{kept, talk};

fn kept_of(words: &str) -> Vec<String> {
    kept(talk().human("hi").agent("Hello.").human(words).agent("OK."))
}

#[test]
fn what_is_over_the_same_day_is_not_kept() {
    for words in [
        "the sandbox gateway is unreachable until three o'clock, the network people are swapping a router",
        "the reporting host will be closed until half past five; they patch it",
        "测试网关打不开，运维在换路由器，六点恢复，先别动配置",
        "小秦明天请假，网关的事别找他",
        "for today's tour, let the kiosks stay on for 90 minutes",
        "turn the banner green for the photo, i'll change it back",
        "拍照片，把按钮弄成红的，拍完给我改回蓝的",
        "the footer is cut off on the left column, fix",
        "name the shards after the region. just for this run",
        "分片名后面加地区号，玩家好认。就这一次",
        "the crane sensor has a loose cable they say, so skip it only today, not in general",
        "the conveyor export sits in the queue since nine, why",
    ] {
        assert_eq!(kept_of(words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn anothers_wish_is_told_wherever_it_stands() {
    for words in [
        "my cousin, who once wrote a macro, says we should move it all to one spreadsheet",
        "Petra from pricing told her team that all reports should be printed in landscape. That's for their folders, not for us.",
        "note under the pull request: \"we must drop every interface\"",
        "the map tiles weigh 90 MB, the trainee thinks we should render everything on the phone. bless him",
        "评审意见: \"建议所有查询都走视图\"，存个档",
        "隔壁仓库他们走的是旧接口，字段跟我们不一样，别看他们的文档",
    ] {
        assert_eq!(kept_of(words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn what_would_be_is_only_imagined() {
    for words in [
        "if we ever bought a bigger kiln we could fire the large plates ourselves",
        "if i won a boat i'd rewrite the planner in Rust",
        "i did wonder whether we oughtn't to move the ledger into its own service",
        "随便问问：楼上那帮人说我们该换 Simulink",
        "要我说干脆全换成 Rust 得了，这堆脚本烦死，开个玩笑",
        "论坛上有人问能不能支持 Lua，你怎么看",
    ] {
        assert_eq!(kept_of(words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn a_rule_is_taken_back_by_its_day_or_beside_what_stays() {
    for (rule, back) in [
        ("new rule: never restart the proxy on mondays", "scrap the monday rule"),
        (
            "new rule: two signatures on every order, small ones too",
            "asked around, they say no. one signature stays. forget it",
        ),
        ("以后周一不准重启", "周一那条作废"),
    ] {
        let found =
            kept(talk().human("hi").agent("Hello.").human(rule).agent("OK.").human(back).agent("OK."));
        assert!(
            found
                .iter()
                .all(|text| !text.contains("two sign") && !text.contains("never") && !text.contains("不准")),
            "{found:?}"
        );
    }
}

#[test]
fn what_holds_beyond_the_day_is_kept() {
    for words in [
        "the sandbox is read-only until the auditors sign off, never write to it",
        "our own rule: every migration has a rollback script",
        "use the blue theme for demos, always",
        "the customer says names must never leave the region",
        "每次录完节目都要把灯恢复成默认亮度",
    ] {
        assert_eq!(kept_of(words).len(), 1, "{words}: {:?}", kept_of(words));
    }
}
