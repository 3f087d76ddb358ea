//! The roles of tools that build, deliver and run what was written; the table goes on from [`super::roles`].

use super::roles::{Role, tool};

/// The roles.
pub(super) const ROLES: &[Role] = &[
    Role {
        name: "schema migrations",
        tools: &[
            tool(&["flyway"], &["flyway*"]),
            tool(&["liquibase"], &["liquibase*"]),
            tool(&["alembic"], &["alembic"]),
        ],
    },
    Role {
        name: "schema migrations",
        tools: &[
            tool(&["goose"], &["goose"]),
            tool(&["golang-migrate"], &["golangmigrate", "migrate"]),
            tool(&["dbmate"], &["dbmate"]),
            tool(&["sql-migrate"], &["sqlmigrate", "sql-migrate"]),
            tool(&["atlas"], &["atlas"]),
            tool(&["sqitch"], &["sqitch"]),
        ],
    },
    Role {
        name: "delivery to clusters",
        tools: &[
            tool(&["argocd", "argo cd", "argo-cd"], &["argocd"]),
            tool(&["flux", "fluxcd", "flux cd"], &["flux"]),
        ],
    },
    Role {
        name: "Windows installer",
        tools: &[
            tool(&["nsis"], &["nsis"]),
            tool(&["inno setup", "innosetup"], &["innosetup"]),
            tool(&["wix"], &["wix"]),
        ],
    },
    Role {
        name: "build of robot packages",
        tools: &[tool(&["catkin_make", "catkin"], &["catkin"]), tool(&["colcon"], &["colcon"])],
    },
    Role {
        name: "firmware build",
        tools: &[
            tool(&["keil", "keil mdk"], &["keil"]),
            tool(&["iar"], &["iar"]),
            tool(&["platformio"], &["platformio"]),
            tool(&["cmake"], &["cmake"]),
        ],
    },
    Role {
        name: "scheduler of workflows",
        tools: &[
            tool(&["airflow"], &["airflow", "apacheairflow"]),
            tool(&["azkaban"], &["azkaban"]),
            tool(&["dolphinscheduler"], &["dolphinscheduler"]),
            tool(&["dagster"], &["dagster*"]),
            tool(&["prefect"], &["prefect"]),
            tool(&["luigi"], &["luigi"]),
        ],
    },
    Role {
        name: "table format",
        tools: &[
            tool(&["iceberg"], &["pyiceberg", "iceberg*"]),
            tool(&["delta lake"], &["deltaspark", "deltalake", "deltacore*"]),
            tool(&["hudi"], &["hudi*"]),
        ],
    },
    Role {
        name: "store of large files",
        tools: &[tool(&["git lfs", "git-lfs"], &["gitlfs"]), tool(&["dvc"], &["dvc"])],
    },
];
