//! Orders that hold for every case of a kind, procedures that are told as steps, and what only looks like them.

use crate::talk::{dream, memory, stated, talk};

/// What is kept of one message in the middle of a talk.
fn kept_of(words: &str) -> Vec<String> {
    let talk = talk().human("hi, a look at the queue please").agent("It is empty.").human(words).agent("OK.");
    stated(&dream(&[talk.done()], &memory(&[])))
}

#[test]
fn a_procedure_told_as_steps_is_kept() {
    for words in [
        "backups go like this: flush the writer, then snapshot the volume, then verify it, then push",
        "our image rotation works like this: build the base, sign it, then roll it out",
        "this is how we retire a service: drain it, export its data, then delete the namespace",
        "to roll out a schema: add the column, backfill it, then drop the old one",
        "扩容是这样做的:先加节点，再迁分片，然后下旧节点，最后改看板",
        "轮换密钥的流程：先生成新的，再发布，最后吊销旧的",
        "我们回填数据分三步：停任务，跑脚本，最后对账",
    ] {
        let kept = kept_of(words);
        assert_eq!(kept.len(), 1, "{words}: {kept:?}");
    }
}

#[test]
fn steps_of_a_task_a_fault_or_a_plan_are_not() {
    for words in [
        "do it like this: rename the module, then fix the imports, then run the suite",
        "to reproduce: log in, switch the theme, then log out",
        "my plan is: read the trace, then bisect, then patch it",
        "the crash happens like this: open the map, zoom in, then it dies",
        "how do rollbacks go: drain first, then swap, then refill?",
        "first trim the list, then sort it, then show me the result",
        "复现步骤：先登录，再切换主题，然后退出",
        "我的计划是：先看日志，再二分，最后修",
        "你按这个顺序改：先改头文件，再改实现，最后跑测试",
        "今天就这样：先合并，再打标签，然后下班",
    ] {
        assert_eq!(kept_of(words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn an_order_with_its_occasion_is_kept() {
    for words in [
        "when you merge a branch, squash the fixups first",
        "if a fixture grows beyond a megabyte, move it to the bucket",
        "after you rename a column, regenerate the client",
        "only restart the broker if I told you so",
        "in case you're unsure about a licence, ask me",
        "合并前如果动了协议就先更新样例",
        "改完枚举之后要重新生成字典",
        "遇到慢查询先加索引，不要改超时",
        "我没说可以重启就不要重启",
        "拿不准许可证就先问我",
    ] {
        let kept = kept_of(words);
        assert_eq!(kept.len(), 1, "{words}: {kept:?}");
    }
}

#[test]
fn an_order_for_a_case_at_hand_is_not_and_a_condition_states_nothing() {
    for words in [
        "if it crashes, restart it",
        "when the import finishes, drop the table",
        "If the broker is on port 7000, restart it",
        "if the queue lives on box-3, move it to box-4",
        "when you're done, ping me",
        "once you merged it, delete the branch",
        "what happens when you merge without the hook?",
        "如果失败了就重跑",
        "如果网关在 9000 端口，就重启一下",
        "要是队列在 box-3 就迁到 box-4",
        "等集群起来了跑一下冒烟",
        "改完告诉我",
    ] {
        assert_eq!(kept_of(words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn an_order_for_always_is_kept_however_short_it_is() {
    for words in [
        "always squash fixups before a review",
        "sort the fixtures by name, always",
        "表名一律用小写",
        "以后脚本都写成 bash",
    ] {
        let kept = kept_of(words);
        assert_eq!(kept.len(), 1, "{words}: {kept:?}");
    }
    for words in
        ["I always forget the flag", "why do you always reformat it?", "以后再改吧", "以后可能换成 rust"]
    {
        assert_eq!(kept_of(words), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn a_chinese_entry_ends_with_its_own_full_stop() {
    for (words, entry) in [
        ("以后时间戳统一用 UTC", "以后时间戳统一用 UTC。"),
        ("重试次数统一设成 5", "重试次数统一设成 5。"),
        ("以后说明都放到 docs/notes", "以后说明都放到 docs/notes。"),
        ("from now on store the time in UTC", "From now on store the time in UTC."),
    ] {
        assert_eq!(kept_of(words), [entry]);
    }
}
